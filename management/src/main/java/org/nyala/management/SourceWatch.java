package org.nyala.management;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.update.SourceTroubles;
import org.nyala.management.bean.NoticeKind;

/** The check of what prevents others from copying this server. Stateless. */
final class SourceWatch {
  /** The remedy, as the manual describes it. */
  private static final String REMEDY =
      "copies do not take such changes. Correct the clock; then, where clients make changes, stop"
          + " the server, run nyala export -o FILE and nyala import --replace FILE, for new"
          + " numbers, and start it";

  private SourceWatch() {}

  /** Raises and clears the alarms about troubles, and about numbers ahead of the clock. */
  static void look(SourceTroubles troubles, Backend store, Instant now, Notifications notices) {
    List<String> refused = troubles.refusedConsumers();
    if (refused.isEmpty()) {
      notices.clear(NoticeKind.CONSUMER_REFUSED);
    } else {
      String text = String.join("; ", refused);
      notices.raise(
          NoticeKind.CONSUMER_REFUSED,
          "consumers are refused, and keep what they have: " + text,
          Map.of("consumers", text));
    }
    String leap = troubles.leap();
    if (leap == null) {
      notices.clear(NoticeKind.CLOCK_LEAPT);
    } else {
      notices.raise(NoticeKind.CLOCK_LEAPT, leap, Map.of("reason", leap));
    }
    lookAtNumbers(store, now, notices);
  }

  private static void lookAtNumbers(Backend store, Instant now, Notifications notices) {
    List<String> ahead = new ArrayList<>();
    long hours = 0;
    try (ReadTransaction transaction = store.beginRead()) {
      for (Dn suffix : store.namingContexts()) {
        Csn last = last(transaction, suffix);
        if (last != null && last.isFarAhead(now)) {
          long by = Duration.between(now, last.time()).toHours();
          hours = Math.max(hours, by);
          ahead.add(suffix + " by " + by + " hours (" + last + ")");
        }
      }
    }
    if (ahead.isEmpty()) {
      notices.clear(NoticeKind.NUMBERS_AHEAD);
      return;
    }
    String text = String.join(", ", ahead);
    notices.raise(
        NoticeKind.NUMBERS_AHEAD,
        "changes have times ahead of the clock, in " + text + ": " + REMEDY,
        Map.of("contexts", text, "hours", hours));
  }

  private static @Nullable Csn last(ReadTransaction transaction, Dn suffix) {
    Csn last = null;
    try (ChangeJournal journal = transaction.journal(suffix)) {
      if (journal != null) {
        for (Csn each : journal.present().csns()) {
          last = last == null || each.isAfter(last) ? each : last;
        }
      }
    }
    return last;
  }
}
