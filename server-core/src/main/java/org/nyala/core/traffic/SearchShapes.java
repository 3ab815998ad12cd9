package org.nyala.core.traffic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.Phase;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationHeader;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;

/**
 * The table of all searches by shape, with no value in it.
 *
 * <p>Thread-safe. Hot: a search of a known shape costs a walk over its filter, a look into {@link
 * #WINDOW} rows at most and some additions. Nobody waits.
 *
 * <p>The table has a fixed number of rows. A shape belongs to one window of rows. If all rows of
 * its window are taken, a search of another shape takes its own time off the credit of the lightest
 * row, and takes that row's place once the credit is gone and the shape was seen before. So a shape
 * keeps its row unless the shapes without a place spend more time on its window than it does
 * itself: who sends endless shapes has to pay for a heavy one with as much work of the server.
 */
public final class SearchShapes implements SessionListener {
  /** The rows among which the place of a shape is. */
  static final int WINDOW = 8;

  /** The shapes of a window that are remembered as seen, although they have no place. */
  private static final int SEEN = 4;

  private static final int HALF = 32;
  private static final long UNSIGNED = 0xffff_ffffL;

  private final AtomicReferenceArray<@Nullable ShapeRow> rows;
  private final long[] seen;
  private final AtomicBoolean isChanging = new AtomicBoolean();
  private final Supplier<Schema> schema;
  private final LongSupplier nanoClock;
  private final long seed;
  private final LongAdder droppedSearches = new LongAdder();
  private final LongAdder droppedNanos = new LongAdder();
  private volatile long startNanos;
  private volatile long wholeFrom = Long.MAX_VALUE;
  private int made;

  /**
   * The table at a moment.
   *
   * @param shapes the figures of each shape, that of the greatest time first
   * @param seconds the time since the table was empty
   * @param droppedSearches the searches of shapes that have no row, or no longer
   * @param droppedNanos the time of those
   */
  public record Look(
      List<ShapeFigures> shapes, long seconds, long droppedSearches, long droppedNanos) {
    public Look {
      shapes = List.copyOf(shapes);
    }

    /** Returns the time of all searches. */
    public long nanos() {
      return shapes.stream().mapToLong(ShapeFigures::nanos).sum() + droppedNanos;
    }
  }

  /**
   * Creates an empty table.
   *
   * @param most the number of rows, rounded up to whole windows; 0 to keep none
   * @param schema the present schema
   * @param nanoClock the clock of sessions
   * @param seed makes the places of shapes unknown to clients
   */
  public SearchShapes(int most, Supplier<Schema> schema, LongSupplier nanoClock, long seed) {
    int windows = (most + WINDOW - 1) / WINDOW;
    this.rows = new AtomicReferenceArray<>(windows * WINDOW);
    this.seen = new long[windows * SEEN];
    this.schema = schema;
    this.nanoClock = nanoClock;
    this.seed = seed;
    this.startNanos = nanoClock.getAsLong();
  }

  /** Returns the number of rows that it may have. */
  public int room() {
    return rows.length();
  }

  /** Sets the number of entries from which on a search counts as one that reads everything. */
  public void wholeFrom(long entries) {
    wholeFrom = entries;
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    if (rows.length() > 0
        && operation.request() instanceof Request.Search search
        && operation.baseRdns() != OperationHeader.NOT_SEARCHED
        && !isLasting(search)) {
      long nanos = operation.nanos(Phase.EXECUTE);
      // Read when it ended: another look at the clock would cost as much as all the rest.
      long nowNanos = operation.arrivalNanos() + operation.totalNanos() - startNanos;
      ShapeRow row = row(search, operation.baseRdns(), nanos, nowNanos);
      long sent = operation.sink().entries();
      if (row != null
          && row.add(
              nanos,
              operation.examined(),
              sent,
              marks(search, operation, sent, answer),
              nowNanos)) {
        row.client(operation.identity().dn(), session.connection().address(), nanos);
      }
    }
  }

  /** Returns whether a search goes on for as long as its client wants changes. */
  private static boolean isLasting(Request.Search search) {
    List<RequestControl> controls = search.controls();
    for (int i = 0; i < controls.size(); i++) {
      String oid = controls.get(i).oid();
      if (oid.equals(ControlType.PERSISTENT_SEARCH.oid())
          || oid.equals(ControlType.SYNC_REQUEST.oid())) {
        return true;
      }
    }
    return false;
  }

  private int marks(
      Request.Search search, Operation operation, long sent, @Nullable LdapResult answer) {
    int marks = operation.hasScanned() ? ShapeRow.SCANNED : 0;
    marks |= sent >= wholeFrom ? ShapeRow.WHOLE : 0;
    if (answer == null || answer.code() == ResultCode.SUCCESS) {
      return marks;
    }
    return marks
        | switch (answer.code()) {
          // A client that wants no more has met no limit of the server.
          case SIZE_LIMIT_EXCEEDED -> isOwnSize(search, sent) ? 0 : ShapeRow.SIZE_LIMITED;
          case TIME_LIMIT_EXCEEDED -> isOwnTime(search, operation) ? 0 : ShapeRow.TIME_LIMITED;
          case ADMIN_LIMIT_EXCEEDED -> operation.hasLookedThrough() ? ShapeRow.LOOKED_THROUGH : 0;
          default -> 0;
        };
  }

  private static boolean isOwnSize(Request.Search search, long sent) {
    return search.sizeLimit() > 0 && sent >= search.sizeLimit();
  }

  private static boolean isOwnTime(Request.Search search, Operation operation) {
    int seconds = search.timeLimitSeconds();
    return seconds > 0 && operation.totalNanos() >= seconds * 1_000_000_000L;
  }

  /**
   * Returns the row of a search, which is made if there is room.
   *
   * @return null if its shape has no place; it was counted as dropped
   */
  @Nullable ShapeRow row(Request.Search search, int baseRdns, long nanos, long nowNanos) {
    long hash = ShapeHash.of(search, baseRdns, schema.get(), seed);
    int window = window(hash);
    ShapeRow known = find(window, hash);
    return known == null ? miss(search, baseRdns, hash, nanos, nowNanos) : known;
  }

  private int window(long hash) {
    return (int) ((hash & UNSIGNED) * (rows.length() / WINDOW) >>> HALF);
  }

  private @Nullable ShapeRow find(int window, long hash) {
    int first = window * WINDOW;
    for (int i = first; i < first + WINDOW; i++) {
      ShapeRow row = rows.getAcquire(i);
      if (row != null && row.hash() == hash) {
        return row;
      }
    }
    return null;
  }

  /** Makes a row unless another thread makes one just now, or there is no place. */
  private @Nullable ShapeRow miss(
      Request.Search search, int baseRdns, long hash, long nanos, long nowNanos) {
    if (isChanging.compareAndSet(false, true)) {
      try {
        int window = window(hash);
        ShapeRow known = find(window, hash);
        int place = known == null ? place(window, hash, nanos) : 0;
        if (known == null && place >= 0) {
          SearchShape shape = SearchShape.of(search, baseRdns, schema.get());
          known = new ShapeRow(hash, ++made, shape, nowNanos);
          ShapeRow before = rows.getAndSet(place, known);
          if (before != null) {
            droppedSearches.add(before.count());
            droppedNanos.add(before.nanos());
          }
        }
        if (known != null) {
          return known;
        }
      } finally {
        isChanging.setRelease(false);
      }
    }
    droppedSearches.increment();
    droppedNanos.add(nanos);
    return null;
  }

  /** Returns the place for a new shape; -1 if it gets none. */
  private int place(int window, long hash, long nanos) {
    int first = window * WINDOW;
    int lightest = first;
    long least = Long.MAX_VALUE;
    for (int i = first; i < first + WINDOW; i++) {
      ShapeRow row = rows.get(i);
      if (row == null) {
        return i;
      }
      long credit = row.credit();
      if (credit < least) {
        lightest = i;
        least = credit;
      }
    }
    int mark = window * SEEN + (int) (hash >>> HALF & SEEN - 1);
    boolean wasSeen = seen[mark] == hash;
    seen[mark] = hash;
    ShapeRow row = rows.get(lightest);
    if (row == null || wasSeen && least <= nanos) {
      return lightest;
    }
    row.charge(nanos);
    return -1;
  }

  /** Returns the table as it is now. */
  public Look look() {
    long nowNanos = nanoClock.getAsLong() - startNanos;
    List<ShapeFigures> figures = new ArrayList<>();
    for (int i = 0; i < rows.length(); i++) {
      ShapeRow row = rows.get(i);
      if (row != null) {
        figures.add(row.figures(nowNanos));
      }
    }
    figures.sort(Comparator.comparingLong(ShapeFigures::nanos).reversed());
    return new Look(figures, nowNanos / 1_000_000_000L, droppedSearches.sum(), droppedNanos.sum());
  }

  /** Empties the table. */
  public void clear() {
    for (int i = 0; i < rows.length(); i++) {
      rows.set(i, null);
    }
    droppedSearches.reset();
    droppedNanos.reset();
    startNanos = nanoClock.getAsLong();
  }
}
