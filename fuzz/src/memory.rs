//! The limit of memory in the targets: an allocator that counts, and refuses what is far too much.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most bytes that an input may take while it is read and checked.
pub const MOST_MEMORY: usize = 512 << 20;
/// The bytes at which an allocation fails, before the machine is in trouble.
const REFUSED: usize = 2 << 30;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Counts more bytes; false if they are too many.
fn grow(bytes: usize) -> bool {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
    let fits = live <= REFUSED;
    if !fits {
        LIVE.fetch_sub(bytes, Relaxed);
    }
    fits
}

// SAFETY: every call goes to the allocator of the system with the arguments as they came, or answers null, which callers expect.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if grow(layout.size()) { unsafe { System.alloc(layout) } } else { null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if grow(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { null_mut() }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !grow(size) {
            return null_mut();
        }
        // SAFETY: as above.
        let moved = unsafe { System.realloc(place, layout, size) };
        LIVE.fetch_sub(if moved.is_null() { size } else { layout.size() }, Relaxed);
        moved
    }
}

/// Calls a function, and panics if more than [`MOST_MEMORY`] was in use during it beyond what was before.
pub fn limited<T>(act: impl FnOnce() -> T) -> T {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = act();
    let taken = PEAK.load(Relaxed).saturating_sub(before);
    assert!(taken <= MOST_MEMORY, "it took {} MB of memory; expected at most {} MB", taken >> 20, MOST_MEMORY >> 20);
    result
}
