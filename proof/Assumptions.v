Require Import Refuted.
Check refuted.
Print Assumptions refuted.
