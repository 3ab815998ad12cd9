package org.nyala.management.page;

import java.lang.System.Logger.Level;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.StoreStatus;

/**
 * The live page of a server: what it shows now, the last hour, its events and its actions.
 *
 * <p>Thread-safe. Nothing is looked at while nobody asks. Closing it ends all pages, and comes
 * before the end of what it looks at.
 */
public final class LivePage implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LivePage.class.getName());

  /** The age up to which a look serves whoever asks. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /** The age up to which a look is the beginning of rates. */
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(8);

  private static final long CLOSE_SECONDS = 5;

  private final PageSources sources;
  private final PageHistory history;
  private final PageFeed feed = new PageFeed(this::look);
  private final PageActions actions;

  /** Examines findings and accounts; without a thread while nothing is asked. */
  private final ThreadPoolExecutor examining =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(2),
          Thread.ofPlatform().daemon().name("nyala-page-examine").factory());

  private final OperationsSection operations;
  private final ClientsSection clients;
  private final StoreSection store;
  private final PeersSection peers;
  private final AttentionSection attention;
  private PageFeed.@Nullable Sample last;
  private @Nullable Figures before;
  private long lookedNanos;
  private long costNanos;
  private long looks;
  private volatile boolean isOver;
  private volatile Supplier<String> withoutActions = () -> "";

  /** Creates the page of a server. */
  public LivePage(PageSources sources) {
    this.sources = sources;
    this.history = new PageHistory(sources.parts());
    this.operations = new OperationsSection(sources);
    this.clients = new ClientsSection(sources);
    this.store = new StoreSection(sources);
    this.peers = new PeersSection(sources);
    this.attention = new AttentionSection(sources, examining);
    this.actions = new PageActions(sources, attention::accountsChanged);
    examining.allowCoreThreadTimeOut(true);
  }

  /** Returns the events for pages that are open. */
  public PageFeed feed() {
    return feed;
  }

  /** Returns what administrators do. */
  public PageActions actions() {
    return actions;
  }

  /** Takes a point of the last hour, if it is time for one. The watch calls it every second. */
  public void remember(StoreStatus status) {
    history.look(status);
  }

  /** Returns the last hour as JSON. */
  public String history() {
    return history.json();
  }

  /** Returns the looks at the server since it was started. */
  public synchronized long looks() {
    return looks;
  }

  /** Sets what tells why nobody may act; an empty text if somebody may. */
  public void actionsRefusedBy(Supplier<String> reason) {
    withoutActions = reason;
  }

  /** Returns whether it was closed. */
  public boolean isOver() {
    return isOver;
  }

  /**
   * Looks at the server, unless somebody has just done so.
   *
   * @throws IllegalStateException if it was closed
   */
  public synchronized PageFeed.Sample look() {
    if (isOver) {
      throw new IllegalStateException("the server is stopping");
    }
    PageFeed.Sample known = last;
    long now = System.nanoTime();
    if (known != null && now - lookedNanos < FRESH_NANOS) {
      return known;
    }
    lookedNanos = now;
    looks++;
    PageFeed.Sample made = new PageFeed.Sample(looks, json());
    costNanos = System.nanoTime() - now;
    last = made;
    return made;
  }

  private String json() {
    StoreStatus status = status();
    Figures now = Figures.of(sources.parts(), status);
    Moment moment =
        new Moment(status, now, now.countsSince(beginning(now)), now.since(window(now)));
    before = now;
    PageJson json =
        new PageJson()
            .object()
            .with("timeMillis", System.currentTimeMillis())
            .with("sequence", looks)
            .with("state", "serving");
    String reason = withoutActions.get();
    json.object("account").with("actions", reason.isEmpty()).with("sentence", reason).endObject();
    operations.write(moment, json);
    clients.write(moment, json);
    store.write(moment, json);
    peers.write(json);
    attention.write(json);
    history.writeLast("point", json);
    return json.object("page")
        .with("open", feed.count())
        .with("looks", looks)
        .with("microsPerLook", TimeUnit.NANOSECONDS.toMicros(costNanos))
        .endObject()
        .endObject()
        .toString();
  }

  private @Nullable StoreStatus status() {
    try {
      return sources.parts().store().status();
    } catch (RuntimeException e) {
      // The alarm about that is one of the findings.
      LOG.log(Level.DEBUG, "the status of the store cannot be read", e);
      return null;
    }
  }

  /** Returns the figures from which rates are counted: those of the last look if it is recent. */
  private Figures beginning(Figures now) {
    Figures previous = before;
    if (previous != null && now.nanos() - previous.nanos() <= RECENT_NANOS) {
      return previous;
    }
    Figures point = history.latest();
    return point == null ? now : point;
  }

  /** Returns the figures from which percentiles are counted, of five to ten seconds ago. */
  private Figures window(Figures now) {
    Figures point = history.earlier();
    return point == null ? now : point;
  }

  /** Ends all pages and actions, and waits for looks that go on. Idempotent. */
  @Override
  public void close() {
    isOver = true;
    feed.close();
    synchronized (this) {
      // A look that has begun has ended now, and none begins.
      last = null;
    }
    actions.close();
    examining.shutdownNow();
    try {
      if (!examining.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(Level.DEBUG, "an examination for the live page goes on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
