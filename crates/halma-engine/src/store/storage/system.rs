//! The file system as storage.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use halma_files::folder::Folder;

use super::{Input, Lock, Output, Part, Storage};
use crate::store::map;

impl Storage for Folder {
    fn create(&self, name: &str) -> io::Result<Box<dyn Output>> {
        Ok(Box::new(Self::create(self, name)?))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        Ok(Box::new(self.file(name)?))
    }

    fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        Self::read(self, name, most)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Self::rename(self, from, to)
    }

    fn sync(&self) -> io::Result<()> {
        Self::sync(self)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        Self::remove(self, name)
    }

    fn free(&self) -> io::Result<u64> {
        Self::free(self)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Self::names(self)
    }

    fn beneath(&self, name: &str, make: bool) -> io::Result<Box<dyn Storage>> {
        Ok(Box::new(if make { self.make_beneath(name)? } else { Self::beneath(self, name)? }))
    }

    fn remove_empty(&self, name: &str) {
        match name {
            "" => drop(std::fs::remove_dir(Self::path(self, ""))),
            name => Self::remove_empty(self, name),
        }
    }

    fn lock(&self, name: &str, patience: Duration) -> io::Result<Option<Lock>> {
        Ok(Self::lock(self, name, patience)?.map(|lock| Box::new(lock) as Lock))
    }

    fn path(&self, name: &str) -> PathBuf {
        Self::path(self, name)
    }
}

impl Output for File {
    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Input for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn part(&self, offset: u64, bytes: usize) -> io::Result<Part> {
        map::map(self, offset, bytes).map(Part::Mapped)
    }
}
