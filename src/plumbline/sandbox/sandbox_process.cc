#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "plumbline/base/clock.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/sandbox/defences.h"
#include "plumbline/sandbox/marshal.h"
#include "plumbline/sandbox/python_server.h"
#include "plumbline/sandbox/sandbox_process_state.h"

namespace plumbline {
namespace {

constexpr size_t kHeaderBytes = 4;
constexpr size_t kReadBytes = size_t{1} << 16;
constexpr int kLongestPoll_ms = 1000;
constexpr int kLeastPatience_ms = 2, kMostPatience_ms = 32;

std::string header(size_t size) {
  std::string bytes(kHeaderBytes, '\0');
  for (size_t i = 0; i < kHeaderBytes; ++i) bytes[i] = static_cast<char>(size >> (8 * i) & 0xff);
  return bytes;
}

uint32_t read_header(std::string_view bytes) {
  uint32_t size = 0;
  for (size_t i = 0; i < kHeaderBytes; ++i)
    size |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return size;
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

EndReason parse_reason(const std::string& word) {
  if (word == "exited") return EndReason::kExited;
  if (word == "cpu") return EndReason::kCpuLimit;
  if (word == "wall") return EndReason::kWallLimit;
  if (word == "memory") return EndReason::kMemoryLimit;
  if (word == "abandoned") return EndReason::kAbandoned;
  return EndReason::kSetupFailed;
}

}  // namespace

void SandboxProcess::State::write_some() {
  while (sent < outgoing.size()) {
    const ssize_t count =
        ::send(channel.get(), outgoing.data() + sent, outgoing.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) {
      if (!would_block()) outgoing.clear(), sent = 0;  // the reader is gone; what it said before may still be read
      return;
    }
    sent += static_cast<size_t>(count);
  }
  outgoing.clear();
  sent = 0;
}

void SandboxProcess::State::read_some() {
  char block[kReadBytes];
  const ssize_t count = ::recv(channel.get(), block, sizeof block, MSG_DONTWAIT);
  if (count > 0) {
    incoming.append(block, static_cast<size_t>(count));
  } else if (count == 0 || !would_block()) {
    ended = true;
  }
}

void SandboxProcess::State::read_patiently() {
  pollfd file{status.get(), POLLIN, 0};
  const size_t before = incoming.size();
  if (::poll(&file, 1, patience_ms) == 0) read_some();
  patience_ms = incoming.size() > before ? kLeastPatience_ms : std::min(2 * patience_ms, kMostPatience_ms);
  if (file.revents) read_report();
}

std::optional<std::string> SandboxProcess::State::next_frame() {
  if (broken || incoming.size() - taken < kHeaderBytes) return std::nullopt;
  const size_t size = read_header(std::string_view(incoming).substr(taken));
  if (is_on(Defence::kFrameLimit) && size > static_cast<size_t>(answer_bytes)) {
    broken = true;
    return std::nullopt;
  }
  if (incoming.size() - taken - kHeaderBytes < size) return std::nullopt;
  std::string frame = incoming.substr(taken + kHeaderBytes, size);
  taken += kHeaderBytes + size;
  if (taken > kReadBytes) {  // keep the cost of forgetting what was read linear
    incoming.erase(0, taken);
    taken = 0;
  }
  return frame;
}

void SandboxProcess::State::read_report() {
  char block[4096];
  const ssize_t count = ::recv(status.get(), block, sizeof block, MSG_DONTWAIT);
  if (count < 0 && would_block()) return;
  reported = true;
  if (count <= 0) return;  // the supervisor is gone without a word
  MarshalReader reader(std::string_view(block, static_cast<size_t>(count)));
  if (reader.next() != MarshalReader::Token::kTuple || reader.count() != 5) return;
  const auto reason = reader.next_text();
  const auto wait_status = reader.next_integer();
  const auto cpu_s = reader.next_real(), wall_s = reader.next_real();
  const auto message = reader.next_text();
  if (!reason || !wait_status || !cpu_s || !wall_s || !message) return;
  result.reason = parse_reason(*reason);
  result.wait_status = static_cast<int>(*wait_status);
  result.cpu_ms = *cpu_s * 1e3;
  result.wall_ms = *wall_s * 1e3;
  result.message = *message;
}

bool SandboxProcess::State::wait(bool with_channel) {
  if (now_s() > deadline_s || interrupt_requested()) {
    // The supervisor guards the wall clock, so the deadline only passes when it is gone or frozen; after Ctrl-C nobody
    // waits for an answer. The keeper ends its server, which takes everything along.
    ::kill(keeper, SIGTERM);
    reported = ended = true;
    return false;
  }
  if (with_channel && patience_ms > 0 && outgoing.empty() && !reported && !ended) {
    read_patiently();
    return true;
  }
  pollfd files[2] = {{status.get(), POLLIN, 0},
                     {channel.get(), static_cast<short>(POLLIN | (outgoing.empty() ? 0 : POLLOUT)), 0}};
  if (reported) files[0].fd = -1;
  if (!with_channel || ended) files[1].fd = -1;
  ::poll(files, 2, kLongestPoll_ms);
  if (files[1].revents & (POLLOUT | POLLERR | POLLHUP)) write_some();
  if (files[1].revents & (POLLIN | POLLERR | POLLHUP)) read_some();
  if (files[0].revents) read_report();
  return true;
}

SandboxProcess::SandboxProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
SandboxProcess::SandboxProcess(SandboxProcess&&) noexcept = default;
SandboxProcess::~SandboxProcess() = default;

void SandboxProcess::send(std::string_view frame) {
  state_->outgoing += header(frame.size());
  state_->outgoing += frame;
}

void SandboxProcess::be_patient() {
  state_->patience_ms = kLeastPatience_ms;
}

std::optional<std::string> SandboxProcess::receive() {
  state_->write_some();
  while (true) {
    if (auto frame = state_->next_frame()) return frame;
    if (state_->broken || state_->ended) {
      if (state_->incoming.size() > state_->taken) state_->broken = true;  // a frame was cut
      return std::nullopt;
    }
    if (state_->reported) {  // everything is dead: what is in the socket is all there will be
      const size_t before = state_->incoming.size();
      state_->read_some();
      if (state_->incoming.size() == before) state_->ended = true;
      continue;
    }
    state_->wait(true);
  }
}

bool SandboxProcess::stream_is_broken() const {
  return state_->broken;
}

ProcessEnd SandboxProcess::end() {
  state_->channel.reset();
  // A broken stream is of no further interest; the supervisor sees the half-closed status socket and ends the tree.
  if (state_->broken) ::shutdown(state_->status.get(), SHUT_WR);
  while (!state_->reported) state_->wait(false);
  return state_->result;
}

}  // namespace plumbline
