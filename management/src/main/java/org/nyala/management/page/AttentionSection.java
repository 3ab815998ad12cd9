package org.nyala.management.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.nyala.management.AlarmFindings;
import org.nyala.management.Notifications;
import org.nyala.management.bean.AccountsMXBean.Found;
import org.nyala.management.bean.FindingsMXBean.Finding;

/**
 * The sections of what needs attention: findings, locked accounts and the last notices. Whatever
 * searches the directory for that is done by another thread, seldom.
 *
 * <p>Confined to the thread that looks, except for {@link #accountsChanged}.
 */
final class AttentionSection {
  private static final int MOST_FINDINGS = 100;
  private static final int MOST_LOCKED = 100;
  private static final int SEARCH_SECONDS = 1;

  /** The least time between two examinations, and the most. */
  private static final int EXAMINE_SECONDS = 60;

  private static final int MOST_EXAMINE_SECONDS = 3600;

  /** The least time between two searches for locked accounts, and the most. */
  private static final int LOCKED_SECONDS = 60;

  private static final int MOST_LOCKED_SECONDS = 900;

  private final PageSources sources;
  private final Paced<List<Finding>> advice;
  private final Paced<Found> locked;
  private long lockedBefore;

  AttentionSection(PageSources sources, Executor examining) {
    this.sources = sources;
    this.advice = new Paced<>(sources.advice(), examining, EXAMINE_SECONDS, MOST_EXAMINE_SECONDS);
    this.locked =
        new Paced<>(
            () -> sources.accounts().list("locked", 0, MOST_LOCKED, SEARCH_SECONDS),
            examining,
            LOCKED_SECONDS,
            MOST_LOCKED_SECONDS);
  }

  /** Has the locked accounts looked for again soon. Any thread. */
  void accountsChanged() {
    locked.touch();
  }

  void write(PageJson json) {
    findings(json);
    accounts(json);
    json.list("notices");
    for (Notifications.Notice each : sources.parts().notices().last()) {
      json.object()
          .with("timeMillis", each.timeMillis())
          .with("kind", each.kind().label())
          .with("over", each.isOver())
          .with("message", each.message())
          .endObject();
    }
    json.endList();
  }

  private void findings(PageJson json) {
    List<Finding> alarms = AlarmFindings.of(sources.parts().notices().current());
    List<Finding> others = advice.get();
    List<Finding> all = new ArrayList<>(alarms);
    all.addAll(others == null ? List.of() : others);
    json.list("findings");
    all.stream()
        .sorted(Comparator.comparing(Finding::weight).reversed())
        .limit(MOST_FINDINGS)
        .forEach(
            each ->
                json.object()
                    .with("weight", each.weight().name().toLowerCase(Locale.ROOT))
                    .with("area", each.area())
                    .with("sentence", each.sentence())
                    .with("command", each.command())
                    .with("alarm", alarms.contains(each))
                    .endObject());
    json.endList();
    age("findingsSeconds", others, advice, json);
  }

  private static void age(String name, @Nullable Object made, Paced<?> part, PageJson json) {
    if (made == null) {
      json.nothing(name);
    } else {
      json.with(name, part.ageSeconds());
    }
  }

  private void accounts(PageJson json) {
    long sum = sources.parts().directory().metrics().accounts().locked().sum();
    if (sum != lockedBefore) {
      lockedBefore = sum;
      locked.touch();
    }
    Found found = locked.get();
    json.object("accounts").with("lockedSinceStart", sum);
    if (found == null) {
      json.nothing("locked").with("more", false).with("complete", false);
    } else {
      json.list("locked");
      found.names().forEach(json::item);
      json.endList().with("more", found.more()).with("complete", found.complete());
    }
    age("seconds", found, locked, json);
    json.endObject();
  }
}
