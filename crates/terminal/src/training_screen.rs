//! The whole terminal for a training: drawn by a thread of its own, and given back whatever happens.

use std::io::{self, IsTerminal as _, Stderr, stderr, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{panic, process};

use plyground_core::sync::lock;
use plyground_train::{Round, TrainingObserver, TrainingStage};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};

use crate::dashboard::Dashboard;
use crate::interrupt;

/// Is the terminal ours?
static TAKEN: AtomicBool = AtomicBool::new(false);

const REDRAW: Duration = Duration::from_millis(200);

/// Shows a training, and hears what is typed meanwhile.
pub struct TrainingScreen {
    dashboard: Arc<Mutex<Dashboard>>,
    over: Arc<AtomicBool>,
    drawing: Option<JoinHandle<()>>,
}

impl TrainingScreen {
    /// Whether a person is in front of it.
    pub fn is_there() -> bool {
        stderr().is_terminal() && stdin().is_terminal()
    }

    pub fn open(dashboard: Dashboard) -> io::Result<Self> {
        let terminal = take()?;
        let (dashboard, over) = (Arc::new(Mutex::new(dashboard)), Arc::new(AtomicBool::new(false)));
        let (shown, ended) = (Arc::clone(&dashboard), Arc::clone(&over));
        let drawing = std::thread::spawn(move || {
            // Without a screen the training goes on: what it learns counts for more.
            let _ = show(terminal, &shown, &ended);
            give_back();
        });
        Ok(Self { dashboard, over, drawing: Some(drawing) })
    }

    fn dashboard(&self) -> MutexGuard<'_, Dashboard> {
        lock(&self.dashboard)
    }
}

impl Drop for TrainingScreen {
    fn drop(&mut self) {
        // The thread that draws gives the terminal back: nothing is drawn after that.
        self.over.store(true, Ordering::Relaxed);
        if let Some(drawing) = self.drawing.take() {
            // If it has panicked, that was told.
            let _ = drawing.join();
        }
    }
}

impl TrainingObserver for TrainingScreen {
    fn stage(&self, stage: TrainingStage) {
        self.dashboard().stage = Some(stage);
    }

    fn round(&self, round: &Round) {
        self.dashboard().rounds.push(round.clone());
    }
}

/// Standard error, like everything else that is only looked at.
type Shown = Terminal<CrosstermBackend<Stderr>>;

fn take() -> io::Result<Shown> {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        give_back();
        before(info);
    }));
    interrupt::before_exit(give_back);
    TAKEN.store(true, Ordering::Relaxed);
    let taken = enable_raw_mode()
        .and_then(|()| execute!(stderr(), EnterAlternateScreen))
        .and_then(|()| Terminal::new(CrosstermBackend::new(stderr())));
    if taken.is_err() {
        give_back();
    }
    taken
}

/// The terminal as it was. Where it is not ours (any more), nothing happens.
fn give_back() {
    if TAKEN.swap(false, Ordering::Relaxed) {
        // A failure could not be shown anywhere.
        let _ = execute!(stderr(), LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}

fn show(mut terminal: Shown, dashboard: &Mutex<Dashboard>, over: &AtomicBool) -> io::Result<()> {
    while TAKEN.load(Ordering::Relaxed) && !over.load(Ordering::Relaxed) {
        {
            let mut dashboard = lock(dashboard);
            dashboard.stopping = interrupt::asked();
            terminal.draw(|frame| dashboard.draw(frame))?;
        }
        if event::poll(REDRAW)?
            && let Event::Key(key) = event::read()?
            && stops(&key)
        {
            // The second time, the user does not want to wait any longer.
            if interrupt::asked() {
                give_back();
                process::exit(interrupt::INTERRUPTED);
            }
            interrupt::ask();
        }
    }
    Ok(())
}

/// While the terminal is ours, Ctrl-C is a key like any other.
fn stops(key: &KeyEvent) -> bool {
    let control_c = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press && (control_c || key.code == KeyCode::Char('q'))
}
