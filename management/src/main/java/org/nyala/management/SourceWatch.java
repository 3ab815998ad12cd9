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
    notices.set(
        NoticeKind.CONSUMER_REFUSED,
        "consumers are refused, and keep what they have: ",
        "consumers",
        String.join("; ", troubles.refusedConsumers()));
    notices.set(NoticeKind.CLOCK_LEAPT, "", "reason", troubles.leap());
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
    String text = String.join(", ", ahead);
    notices.set(
        NoticeKind.NUMBERS_AHEAD,
        !ahead.isEmpty(),
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
