package org.nyala.accounts;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.policy.AccountKind;
import org.nyala.core.policy.PolicyReader;

/**
 * A search for accounts of a kind, which reads in slices: no read transaction keeps pages from
 * being reused for long.
 *
 * <p>Confined to one call.
 */
final class AccountScan {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The candidates between two readings of the clock. */
  private static final int CLOCK_INTERVAL = 64;

  private final OperationContext directory;
  private final AccountKind kind;
  private final Duration within;
  private final int most;
  private final Instant now;
  private final long endNanos;
  private final List<Dn> names = new ArrayList<>();
  private @Nullable SearchProgress progress;
  private long position;
  private boolean hasMore;
  private boolean isTimeUp;

  AccountScan(
      OperationContext directory, AccountKind kind, Duration within, int most, Duration longest) {
    this.directory = directory;
    this.kind = kind;
    this.within = within;
    this.most = most;
    this.now = directory.updating().instant();
    this.endNanos = directory.nanoTime() + longest.toNanos();
  }

  AccountList run() {
    Set<Backend> backends = new LinkedHashSet<>();
    for (Dn suffix : directory.contexts().suffixes()) {
      Backend backend = directory.contexts().backendOf(suffix);
      if (backend != null) {
        backends.add(backend);
      }
    }
    SearchSpec spec =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter(), false, false);
    for (Backend backend : backends) {
      if (!isOver()) {
        scan(backend, spec);
      }
    }
    return new AccountList(names, hasMore, isTimeUp);
  }

  private boolean isOver() {
    return hasMore || isTimeUp;
  }

  /** Returns a filter that all accounts of the kind match, and few others. */
  private CompiledFilter filter() {
    FilterNode node =
        switch (kind) {
          case LOCKED ->
              present(
                  "pwdAccountLockedTime", "pwdAccountTmpLockoutEnd", "pwdStartTime", "pwdEndTime");
          case EXPIRING, EXPIRED -> present("pwdChangedTime");
          case IDLE -> {
            byte[] since = PolicyReader.valueInSeconds(now.minus(within));
            yield new FilterNode.Or(
                List.of(
                    new FilterNode.LessOrEqual("pwdLastSuccess", since),
                    new FilterNode.LessOrEqual("pwdChangedTime", since)));
          }
          case RESET -> new FilterNode.Equality("pwdReset", "TRUE".getBytes(US_ASCII));
        };
    try {
      return directory.reading().openFilters().compileOwn(node);
    } catch (FilterLimitException e) {
      throw new IllegalStateException(e);
    }
  }

  private static FilterNode present(String... attributes) {
    List<FilterNode> nodes = new ArrayList<>();
    for (String each : attributes) {
      nodes.add(new FilterNode.Present(each));
    }
    return new FilterNode.Or(nodes);
  }

  private void scan(Backend backend, SearchSpec spec) {
    position = 0;
    try {
      boolean goesOn = true;
      while (goesOn && !isOver()) {
        goesOn = slice(backend, spec);
      }
    } finally {
      SearchProgress kept = progress;
      progress = null;
      if (kept != null) {
        kept.close();
      }
    }
  }

  /** Reads on for some milliseconds; false if there is no further entry. */
  private boolean slice(Backend backend, SearchSpec spec) {
    long began = directory.nanoTime();
    try (ReadTransaction transaction = backend.beginRead();
        EntryCursor cursor = transaction.search(spec, position, progress)) {
      EntryView view = new EntryView();
      EntryCursor.Step step;
      do {
        step = cursor.next(view, CLOCK_INTERVAL);
        if (step == EntryCursor.Step.ENTRY) {
          take(view, transaction);
        }
        isTimeUp = directory.nanoTime() - endNanos >= 0;
      } while (step != EntryCursor.Step.END
          && !isOver()
          && directory.nanoTime() - began < SLICE_NANOS);
      position = cursor.position();
      progress = cursor.progress();
      isTimeUp &= step != EntryCursor.Step.END;
      return step != EntryCursor.Step.END;
    }
  }

  private void take(EntryView view, ReadTransaction transaction) {
    if (!kind.includes(PolicyReader.of(directory).read(view, transaction), within, now)) {
      return;
    }
    if (names.size() == most) {
      hasMore = true;
      return;
    }
    names.add(DnParser.parseStored(directory.schema(), view.dn()));
  }
}
