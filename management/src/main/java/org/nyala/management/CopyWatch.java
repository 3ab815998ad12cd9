package org.nyala.management;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.update.SourceTroubles;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;
import org.nyala.management.bean.SyncMXBean.Copy;

/** The check of copies of other servers' naming contexts, and of their writers. Stateless. */
final class CopyWatch {
  private static final String COPIES = "copies";

  /** The remedy, as the manual describes it. */
  private static final String REMEDY =
      "copies do not take such changes. Correct the clock; then, where clients make changes, stop"
          + " the server, run nyala export -o FILE and nyala import --replace FILE, for new"
          + " numbers, and start it";

  private CopyWatch() {}

  /**
   * Raises and clears the alarms about copies.
   *
   * @param lagSeconds the time for which a copy may not be up to date, unless it is refreshed
   */
  static void look(List<Copy> copies, int lagSeconds, Notifications notices) {
    List<String> guarded = new ArrayList<>();
    List<String> failing = new ArrayList<>();
    for (Copy copy : copies) {
      if (copy.guarded() > 0) {
        guarded.add(copy.suffix() + " may lose " + copy.guarded() + " entries");
      } else if (isFailing(copy, lagSeconds)) {
        failing.add(copy.suffix() + ": " + reason(copy));
      }
    }
    notices.set(
        NoticeKind.COPY_GUARDED,
        "copying was stopped, see nyala sync status: ",
        COPIES,
        String.join("; ", guarded));
    notices.set(
        NoticeKind.COPY_FAILS,
        "a copy is not kept up to date: ",
        COPIES,
        String.join("; ", failing));
  }

  /** Raises and clears the alarm that another server was promoted to change a naming context. */
  static void lookAtEpochs(List<ContextEpoch> epochs, Notifications notices) {
    notices.set(
        NoticeKind.WRITER_SUPERSEDED,
        "",
        COPIES,
        epochs.stream()
            .filter(ContextEpoch::isSuperseded)
            .map(CopyWatch::text)
            .collect(Collectors.joining("; ")));
  }

  private static String text(ContextEpoch epoch) {
    String now = epoch.copied() ? "copies the former one" : "changes nothing there any more";
    String who =
        epoch.otherEpoch() == epoch.epoch()
            ? String.format(
                Locale.ROOT,
                "servers %d and %d were both promoted to change %s in epoch %d",
                epoch.writer(),
                epoch.otherWriter(),
                epoch.suffix(),
                epoch.epoch())
            : String.format(
                Locale.ROOT,
                "server %d was promoted to change %s in epoch %d, the data here is of epoch %d",
                epoch.otherWriter(),
                epoch.suffix(),
                epoch.otherEpoch(),
                epoch.epoch());
    return who + ", and this server " + now + ": " + epoch.remedy();
  }

  /**
   * Returns whether nothing brings a copy up to date, or it does not become so. A provider that is
   * seldom asked for a sign of life is no failure.
   */
  private static boolean isFailing(Copy copy, int lagSeconds) {
    boolean isOld = copy.staleSeconds() >= lagSeconds;
    return switch (copy.phase()) {
      case "following" -> !copy.ready() || isOld && !copy.error().isEmpty();
      case "unfinished" -> true;
      case "refreshing" -> isOld && !copy.error().isEmpty();
      default -> isOld;
    };
  }

  private static String reason(Copy copy) {
    return copy.error().isEmpty()
        ? copy.phase() + ", not known to be up to date for " + copy.staleSeconds() + " s"
        : copy.error();
  }

  /** Raises and clears the alarms about troubles, and about numbers ahead of the clock. */
  static void lookAtSource(
      SourceTroubles troubles, Backend store, Instant now, Notifications notices) {
    notices.set(
        NoticeKind.CONSUMER_REFUSED,
        "consumers are refused, and keep what they have: ",
        "consumers",
        String.join("; ", troubles.refusedConsumers()));
    notices.set(NoticeKind.CLOCK_LEAPT, "", "reason", troubles.leap());
    lookAtNumbers(store, now, notices);
  }

  private static void lookAtNumbers(Backend store, Instant now, Notifications notices) {
    NumbersAhead ahead = NumbersAhead.of(store, now);
    notices.set(
        NoticeKind.NUMBERS_AHEAD,
        !ahead.contexts().isEmpty(),
        ahead.sentence(),
        Map.of("contexts", ahead.contexts(), "hours", ahead.hours()));
  }

  /**
   * The naming contexts of a store whose last changes have times far ahead of the clock.
   *
   * @param contexts their names, each with the time; empty if there are none
   * @param hours the longest time
   */
  record NumbersAhead(String contexts, long hours) {
    static NumbersAhead of(Backend store, Instant now) {
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
      return new NumbersAhead(String.join(", ", ahead), hours);
    }

    String sentence() {
      return "changes have times ahead of the clock, in " + contexts + ": " + REMEDY;
    }
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
