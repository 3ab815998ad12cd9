package org.nyala.core.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.Patience;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

/**
 * The wire without a network: a client that sends requests into a session, and a record of its
 * answers. Its event loop is a thread of its own; methods are the loop's unless declared for any
 * thread.
 */
final class RecordingClient implements ClientConnection {
  /** A final response. */
  record Answer(int messageId, ResultCode code) {}

  final List<Answer> answers = new ArrayList<>();
  final List<String> notices = new ArrayList<>();
  final AtomicInteger references = new AtomicInteger();
  final Session session;
  volatile boolean reads = true;
  @Nullable LdapResult notice;
  boolean disconnected;
  int suppressedLate;
  int resumes;
  private final int number;
  private final Object address;
  private final ExecutorService loop;
  private final Thread loopThread;
  private final ArrayDeque<Request> input = new ArrayDeque<>();
  private boolean decoding;

  /** Opens a session; any thread. */
  static RecordingClient open(
      int number, ExecutorService loop, SessionEnvironment environment, @Nullable Object address) {
    return Patience.get(loop.submit(() -> new RecordingClient(number, loop, environment, address)));
  }

  private RecordingClient(
      int number, ExecutorService loop, SessionEnvironment environment, @Nullable Object address) {
    this.number = number;
    this.address = address == null ? this : address;
    this.loop = loop;
    this.loopThread = Thread.currentThread();
    this.session = new Session(environment, this);
  }

  /**
   * Sends requests in one burst, and returns when the session has read as many as it wanted; any
   * thread.
   */
  void send(Request... requests) {
    onLoop(
        () -> {
          input.addAll(List.of(requests));
          decode();
          return true;
        });
  }

  /** The client starts reading again; any thread. */
  void read() {
    onLoop(
        () -> {
          reads = true;
          session.writable();
          return true;
        });
  }

  /** The connection breaks; any thread. */
  void breakOff() {
    onLoop(
        () -> {
          disconnected = true;
          session.closed();
          return true;
        });
  }

  @Override
  public Object address() {
    return address;
  }

  /** Reads a value on the loop; any thread. */
  <T> T onLoop(Supplier<T> look) {
    return Patience.get(loop.submit(look::get));
  }

  /** Returns the number of requests that were sent and not yet read. */
  int unread() {
    return input.size();
  }

  void decode() {
    if (decoding) {
      return;
    }
    decoding = true;
    while (!disconnected && session.wantsRequests() && !input.isEmpty()) {
      session.receive(input.remove());
    }
    decoding = false;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public boolean hasUndecoded() {
    return !input.isEmpty();
  }

  @Override
  public void execute(Runnable work) {
    if (Thread.currentThread() == loopThread) {
      work.run();
    } else {
      loop.execute(work);
    }
  }

  @Override
  public void executeLater(Runnable work) {
    loop.execute(work);
  }

  @Override
  public void resumeReading() {
    resumes++;
    decode();
  }

  @Override
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
    notices.add(oid);
  }

  @Override
  public void disconnect(@Nullable LdapResult last) {
    disconnected = true;
    notice = last;
  }

  @Override
  public ResponseSink openSink(Request request) {
    return new Sink(request);
  }

  /** Buffers answers until they are flushed, and drops those that are no longer wanted. */
  private final class Sink implements ResponseSink {
    private final Request request;
    private @Nullable Answer pending;
    private int pendingReferences;
    private boolean suppressed;

    Sink(Request request) {
      this.request = request;
    }

    @Override
    public void entry(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {
      throw new AssertionError("these sessions serve no entries");
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
      pendingReferences++;
    }

    @Override
    public void intermediate(@Nullable String oid, byte @Nullable [] value) {
      throw new AssertionError("these sessions have no intermediate responses");
    }

    @Override
    public void result(Request answered, LdapResult result) {
      pending = new Answer(answered.messageId(), result.code());
    }

    @Override
    public void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value) {
      result(request, result);
    }

    @Override
    public void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials) {
      result(request, result);
    }

    @Override
    public boolean isWritable() {
      return reads;
    }

    @Override
    public void flush(@Nullable Runnable completion) {
      Answer answer = pending;
      int sent = pendingReferences;
      pending = null;
      pendingReferences = 0;
      execute(() -> write(answer, sent, completion));
    }

    private void write(@Nullable Answer answer, int sent, @Nullable Runnable completion) {
      if (suppressed || disconnected) {
        suppressedLate++;
      } else {
        references.addAndGet(sent);
        if (answer != null) {
          answers.add(answer);
        }
      }
      if (completion != null) {
        completion.run();
      }
    }

    @Override
    public void suppress() {
      suppressed = true;
    }
  }
}
