package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Filters;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.RequestRules;

/**
 * A connection for single searches beside a load, or before it, under the identity and the
 * encryption of the load's connections. It has an event loop of its own, and is opened at once.
 *
 * <p>Confined to one thread; its event loop is told by tasks.
 */
public final class ReadConnection implements AutoCloseable {
  /** The scope of a read of one entry (RFC 4511, section 4.5.1.2). */
  public static final int BASE = 0;

  /** The scope of a whole subtree. */
  public static final int SUBTREE = 2;

  /** The filter that every entry matches. */
  public static final String ANYTHING = "(objectClass=*)";

  /** The bound of the values that one search may return, so that no server fills the memory. */
  private static final long MOST_BYTES = 8L << 20;

  /**
   * An entry. Immutable.
   *
   * @param dn its name as the server writes it
   * @param attributes its values by the names of the attributes, in any case of letters
   */
  public record Entry(String dn, Map<String, List<byte[]>> attributes) {
    /** The first value of an attribute as text; empty if there is none. */
    public String first(String name) {
      List<byte[]> values = attributes.getOrDefault(name, List.of());
      return values.isEmpty()
          ? ""
          : new String(values.getFirst(), java.nio.charset.StandardCharsets.UTF_8);
    }
  }

  private final MultiThreadIoEventLoopGroup group;
  private final SaslIdentities identities;
  private final LoadProgress progress = new LoadProgress(1);
  private final LoadLoop loop;
  private final Reader reader;
  private final long patienceMillis;

  /**
   * Begins to open a connection.
   *
   * @param settings the load whose connections it resembles
   * @param patienceSeconds the time that opening it and the answer to a search may take, together
   */
  public ReadConnection(LoadSettings settings, double patienceSeconds) {
    // Controls of the job may be refused for a search, or change it.
    LoadSettings one =
        settings.with(settings.options().with(RequestRules.NONE)).trial(JobKind.BASE, 1);
    patienceMillis = (long) (patienceSeconds * 1e3);
    group = LoadRun.eventLoops(one);
    identities = SaslIdentities.of(one);
    EventLoop eventLoop = group.next();
    loop =
        new LoadLoop(
            one,
            Templates.of(one),
            identities,
            LoadRun.bootstrap(one, eventLoop),
            eventLoop,
            progress,
            0);
    LoadConnection connection = new LoadConnection(loop, 1, true, 0);
    reader = new Reader(loop, connection);
    connection.attach(reader);
    eventLoop.execute(reader::prepare);
  }

  /**
   * Searches, and waits for the answer.
   *
   * @param scope {@link #BASE} or {@link #SUBTREE}
   * @param names the attributes to return; all user attributes if there are none
   * @return the entries that the server shows
   * @throws LoadTestException if it answers with another result code than success, or not in time;
   *     the connection is of no more use in the second case
   */
  public List<Entry> search(String base, int scope, String filter, String... names)
      throws LoadTestException, InterruptedException {
    byte[] request = Pdu.loggedSearch(base, scope, 0, Filters.encode(filter), names);
    CompletableFuture<List<Entry>> answer = new CompletableFuture<>();
    loop.eventLoop().execute(() -> reader.ask(request, answer));
    try {
      return answer.get(patienceMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      String reason = progress.setupFailure();
      Throwable cause = e.getCause();
      throw new LoadTestException(
          String.valueOf(reason == null && cause != null ? cause.getMessage() : reason));
    } catch (TimeoutException e) {
      throw new LoadTestException("no answer in " + patienceMillis / 1000.0 + " s");
    }
  }

  @Override
  public void close() {
    loop.eventLoop().execute(reader::closeAll);
    LoadRun.stop(group).awaitUninterruptibly();
    loop.release();
    identities.close();
  }

  /** The client of the connection. Confined to the channel's event loop. */
  private static final class Reader extends SingleClient {
    private CompletableFuture<List<Entry>> answer = new CompletableFuture<>();
    private List<Entry> entries = new ArrayList<>();
    private byte[] waiting = {};
    private boolean isOpen;
    private boolean isLost;
    private long bytes;

    private Reader(LoadLoop loop, LoadConnection connection) {
      super(loop, 1, connection);
    }

    /** Sends a request, or keeps it until the connection is open. */
    void ask(byte[] request, CompletableFuture<List<Entry>> whole) {
      answer = whole;
      entries = new ArrayList<>();
      bytes = 0;
      if (isLost) {
        fail("the server has closed the connection");
      } else if (isOpen) {
        connection().send(this, request);
      } else {
        waiting = request;
      }
    }

    @Override
    void ready(LoadConnection opened) {
      isOpen = true;
      if (waiting.length > 0) {
        opened.send(this, waiting);
        waiting = new byte[0];
      }
    }

    @Override
    void next() {}

    @Override
    void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
      bytes += attributesEnd - dnStart;
      if (bytes > MOST_BYTES) {
        fail("the answer has more than " + MOST_BYTES + " bytes");
        return;
      }
      Map<String, List<byte[]>> attributes = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      BerCursor all = new BerCursor();
      all.reset(in, attributesStart, attributesEnd);
      while (all.next(Pdu.SEQUENCE)) {
        BerCursor one = new BerCursor();
        one.reset(in, all.contentStart(), all.contentEnd());
        if (!one.next(Pdu.OCTET_STRING)) {
          return;
        }
        List<byte[]> values = attributes.computeIfAbsent(one.text(), _ -> new ArrayList<>());
        if (one.next(Pdu.SET)) {
          one.enter();
          while (one.next(Pdu.OCTET_STRING)) {
            values.add(one.octets());
          }
        }
      }
      String dn = in.toString(dnStart, dnEnd - dnStart, java.nio.charset.StandardCharsets.UTF_8);
      entries.add(new Entry(dn, attributes));
    }

    @Override
    void result(LoadConnection answering, int tag, int resultCode) {
      if (resultCode == 0) {
        answer.complete(List.copyOf(entries));
      } else {
        fail("the server answered " + ResultNames.of(resultCode));
      }
    }

    @Override
    void lost(LoadConnection broken) {
      isLost = true;
      fail("the server has closed the connection");
    }

    private void fail(String reason) {
      answer.completeExceptionally(new LoadTestException(reason));
    }

    @Override
    boolean wants(LoadConnection lost) {
      return false;
    }
  }
}
