package org.nyala.cli;

import static org.nyala.core.Patience.eventually;

/** What a server counts, which it may do a moment after its clients have read it. */
final class ResponseCount {
  private ResponseCount() {}

  /** Returns once a server has counted so many responses. */
  static void await(RunningServer server, long responses) {
    eventually(
        responses + " responses are counted",
        () -> server.served().directory().metrics().responsesSent().sum() >= responses);
  }
}
