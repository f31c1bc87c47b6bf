#include "plumbline/base/interrupt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "plumbline/base/log.h"
#include "plumbline/base/progress.h"

namespace plumbline {
namespace {

constexpr int kSaved = 42, kNothing = 43;

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

/// What a child that runs `body` ends with, and what it says on stderr.
struct Child {
  explicit Child(const std::function<int()>& body) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(ends[1], STDERR_FILENO);
      ::close(ends[0]);
      ::_exit(body());
    }
    ::close(ends[1]);
    char block[512];
    for (ssize_t size = 0; (size = ::read(ends[0], block, sizeof block)) > 0;)
      err.append(block, static_cast<size_t>(size));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(pid, &status, 0);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int code = -1;
  std::string err;
};

TEST(Interrupt, EachOfTheThreeSignalsAsksForTheState) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Child child([number] {
      watch_interrupts();
      ::raise(number);
      return interrupt_requested() ? kSaved : kNothing;
    });
    EXPECT_EQ(child.code, kSaved) << number;
  }
}

TEST(Interrupt, AHangUpThatIsIgnoredStaysIgnored) {
  const Child child([] {
    ::signal(SIGHUP, SIG_IGN);
    watch_interrupts();
    ::raise(SIGHUP);
    return interrupt_requested() ? kSaved : kNothing;
  });
  EXPECT_EQ(child.code, kNothing);
}

TEST(Interrupt, RepeatsWithinASecondAreOneWish) {
  const Child child([] {
    watch_interrupts();
    for (const int number : {SIGINT, SIGINT, SIGTERM, SIGHUP, SIGINT}) {
      ::raise(number);
      sleep_ms(20);
    }
    return interrupt_requested() ? kSaved : kNothing;
  });
  EXPECT_EQ(child.code, kSaved);
  EXPECT_EQ(child.err, "");
}

TEST(Interrupt, ALaterOneStopsAtOnceAndSaysSo) {
  const Child child([] {
    watch_interrupts();
    ::raise(SIGINT);
    sleep_ms(1100);
    ::raise(SIGHUP);  // asks for the state and for no haste
    ::raise(SIGINT);
    return kSaved;
  });
  EXPECT_EQ(child.code, 130);
  EXPECT_EQ(child.err, "interrupted: a second signal stops at once; what was not saved by then is lost\n");
}

TEST(Interrupt, WhereTheLastUnitIsFinishedTheNextOneInterrupts) {
  const Child child([] {
    watch_interrupts();
    finish_before_interrupt();
    ::raise(SIGINT);
    ::raise(SIGINT);
    if (!finish_requested() || interrupt_requested()) return kNothing;
    sleep_ms(1100);
    ::raise(SIGINT);
    return interrupt_requested() ? kSaved : kNothing;
  });
  EXPECT_EQ(child.code, kSaved);
}

/// A full device, a closed stream (as run_guarded leaves it: /dev/null, not for writing), a pipe without a reader.
TEST(Progress, LosesWhatCannotBeWrittenAndGoesOn) {
  for (const int kind : {0, 1, 2}) {
    const Child child([kind] {
      watch_interrupts();
      int ends[2];
      if (::pipe(ends) != 0) return kNothing;
      ::close(ends[0]);
      const int full = ::open("/dev/full", O_WRONLY), closed = ::open("/dev/null", O_RDONLY);
      ::dup2(kind == 0 ? full : kind == 1 ? closed : ends[1], STDERR_FILENO);
      {
        Progress progress("grading", 2, "completions");
        progress.advance();
        log_warning("a line");
      }
      log_warning("another");
      return kSaved;
    });
    EXPECT_EQ(child.code, kSaved) << kind;
  }
}

/// Control codes go to a terminal that takes them.
TEST(Progress, ControlCodesObeyTermAndNoColor) {
  const auto takes = [](const char* terminal, const char* no_color) {
    const Child child([=] {
      const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
      if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return kNothing;
      const int fd = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
      ::unsetenv("TERM");
      ::unsetenv("NO_COLOR");
      if (terminal) ::setenv("TERM", terminal, 1);
      if (no_color) ::setenv("NO_COLOR", no_color, 1);
      return ::isatty(fd) != 1 ? kNothing : takes_control_codes(fd) ? 1 : 0;
    });
    return child.code;
  };
  EXPECT_EQ(takes("xterm", nullptr), 1);
  EXPECT_EQ(takes("xterm", ""), 1);  // no-color.org: set and not empty
  EXPECT_EQ(takes("xterm", "1"), 0);
  EXPECT_EQ(takes("dumb", nullptr), 0);
  EXPECT_EQ(takes("", nullptr), 0);
  EXPECT_EQ(takes(nullptr, nullptr), 0);
}

}  // namespace
}  // namespace plumbline
