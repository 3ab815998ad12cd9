package org.nyala.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.ResponseSink;
import org.nyala.core.session.Session;
import org.nyala.core.session.WholeEntry;

/**
 * A connection between a client and a server. What each has sent is on its way until the simulation
 * delivers it; either end may learn long after the other one that the connection has ended.
 *
 * <p>Confined to one thread.
 */
final class SimulatedLine implements ClientConnection {
  private final int number;
  private final Session session;
  private final int window;
  private final Deque<Request> up = new ArrayDeque<>();
  private final Deque<Event> down = new ArrayDeque<>();
  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final Map<Integer, Consumer<Object>> receivers = new HashMap<>();
  private final Consumer<String> disconnected;
  private boolean isOnLoop;
  private boolean isBlocked;
  private boolean isEndedAtClient;
  private boolean isEndedAtServer;
  private int lastId;

  /** True while nothing that the client has sent arrives. */
  boolean isStalledUp;

  /** True while nothing that the server has sent arrives. */
  boolean isStalledDown;

  /** The messages on their way to the client. */
  private record Event(int id, Object message) {}

  /**
   * Opens a connection.
   *
   * @param window the messages that may be on their way before the server has to wait
   * @param disconnected told when the client learns that the connection has ended
   */
  SimulatedLine(SimulatedServer server, int number, int window, Consumer<String> disconnected) {
    this.number = number;
    this.window = window;
    this.disconnected = disconnected;
    this.session = server.open(this);
  }

  int nextId() {
    return ++lastId;
  }

  /** Sends a request; its answers go to a receiver. */
  void send(Request request, Consumer<Object> receiver) {
    receivers.put(request.messageId(), receiver);
    up.add(request);
  }

  boolean canDeliverUp() {
    return !up.isEmpty() && !isStalledUp && !isEndedAtServer && !isEndedAtClient;
  }

  void deliverUp() {
    Request request = up.remove();
    onLoop(() -> session.receive(request));
  }

  boolean canRunLoop() {
    return !loop.isEmpty();
  }

  void runLoop() {
    onLoop(loop.remove());
  }

  private void onLoop(Runnable work) {
    isOnLoop = true;
    try {
      work.run();
    } finally {
      isOnLoop = false;
    }
  }

  boolean canDeliverDown() {
    return !down.isEmpty() && !isStalledDown && !isEndedAtClient;
  }

  void deliverDown() {
    Event event = down.remove();
    if (isBlocked && down.size() < window) {
      isBlocked = false;
      loop.add(session::writable);
    }
    Consumer<Object> receiver = receivers.get(event.id());
    if (receiver != null) {
      receiver.accept(event.message());
    }
  }

  boolean isEndedAtServer() {
    return isEndedAtServer;
  }

  /** Returns whether nothing is left to do for it. */
  boolean isOver() {
    return isEndedAtServer && isEndedAtClient && loop.isEmpty() && session.openCount() == 0;
  }

  boolean isEndedAtClient() {
    return isEndedAtClient;
  }

  /** The client learns that the connection has ended; what is on its way to it is lost. */
  void endAtClient(String reason) {
    if (!isEndedAtClient) {
      isEndedAtClient = true;
      down.clear();
      disconnected.accept(reason);
    }
  }

  /** The client ends the connection. */
  void leave() {
    isEndedAtClient = true;
  }

  /** The server learns that the connection has ended. */
  void endAtServer() {
    if (!isEndedAtServer) {
      onLoop(session::closed);
      while (!loop.isEmpty()) {
        runLoop();
      }
      isEndedAtServer = true;
    }
  }

  /** The server is gone. */
  void serverGone() {
    isEndedAtServer = true;
    loop.clear();
    up.clear();
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public void execute(Runnable work) {
    if (isOnLoop) {
      work.run();
    } else {
      loop.add(work);
    }
  }

  @Override
  public void executeLater(Runnable work) {
    loop.add(work);
  }

  @Override
  public ResponseSink openSink(Request request) {
    return new Sink(request.messageId());
  }

  @Override
  public void resumeReading() {
    // Whatever has arrived is taken.
  }

  @Override
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
    // No client of these takes one.
  }

  @Override
  public void disconnect(@Nullable LdapResult notice) {
    isEndedAtServer = true;
  }

  static Control[] controls(List<ResponseControl> all) {
    return all.stream()
        .map(
            each ->
                new Control(
                    each.oid(),
                    false,
                    each.value() == null ? null : new ASN1OctetString(each.value())))
        .toArray(Control[]::new);
  }

  /** The answers to a request, as objects of the client's library. */
  private final class Sink implements ResponseSink {
    private final int id;
    private List<Event> pending = new ArrayList<>();
    private boolean isSuppressed;

    Sink(int id) {
      this.id = id;
    }

    @Override
    public void entry(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {
      List<Attribute> attributes = new ArrayList<>();
      for (int i = 0; i < entry.attributeCount(); i++) {
        if (selection.selects(table, entry.attributeId(i))) {
          List<byte[]> values = new ArrayList<>();
          ValueCursor cursor = new ValueCursor().open(entry, i);
          while (cursor.next()) {
            values.add(cursor.value());
          }
          attributes.add(
              new Attribute(
                  table.description(entry.attributeId(i)).name(), values.toArray(byte[][]::new)));
        }
      }
      for (byte[] each : computed) {
        attributes.add(decoded(each));
      }
      add(new SearchResultEntry(new String(entry.dn(), UTF_8), attributes, controls(controls)));
    }

    private static Attribute decoded(byte[] partial) {
      try {
        return Attribute.decode(com.unboundid.asn1.ASN1Sequence.decodeAsSequence(partial));
      } catch (com.unboundid.ldap.sdk.LDAPException | com.unboundid.asn1.ASN1Exception e) {
        throw new AssertionError(e);
      }
    }

    private void add(Object message) {
      pending.add(new Event(id, message));
    }

    @Override
    public EntryInParts entryInParts(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {
      return new WholeEntry(this, table, selection, computed, controls);
    }

    @Override
    public void reference(List<String> urls, List<ResponseControl> controls) {
      throw new AssertionError("there are no references");
    }

    @Override
    public void intermediate(@Nullable String oid, byte @Nullable [] value) {
      add(new IntermediateResponse(oid, value == null ? null : new ASN1OctetString(value)));
    }

    @Override
    public void result(Request request, LdapResult result) {
      add(result);
    }

    @Override
    public void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value) {
      add(result);
    }

    @Override
    public void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials) {
      add(result);
    }

    @Override
    public boolean isWritable() {
      boolean isFull = down.size() + pending.size() >= window;
      isBlocked |= isFull;
      return !isFull;
    }

    @Override
    public void flush(@Nullable Runnable completion) {
      List<Event> flushed = pending;
      pending = new ArrayList<>();
      execute(
          () -> {
            if (!isSuppressed) {
              down.addAll(flushed);
            }
            if (completion != null) {
              completion.run();
            }
          });
    }

    @Override
    public void suppress() {
      isSuppressed = true;
    }
  }
}
