package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.accounts.TestAccounts;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.contention.Contention;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.rights.RightsService;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.session.ResponseSink;
import org.nyala.core.session.Session;
import org.nyala.core.session.WholeEntry;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.extension.Extension;

/** A whole directory in memory, with clients whose event loops are threads of their own. */
public final class LiveDirectory implements AutoCloseable {
  public final InMemoryBackend store;
  public final DirectoryOperations operations;
  public final DirectoryServer server;

  /** The store that it answers from: the one in memory, or what is in its place. */
  private final Backend served;

  private final List<Client> clients = new ArrayList<>();

  public LiveDirectory(String strategy, ServerLimits limits) {
    this(strategy, limits, new AccessPolicy(true), store -> store);
  }

  public LiveDirectory(String strategy, ServerLimits limits, AccessPolicy access) {
    this(strategy, limits, access, store -> store);
  }

  /** Creates a directory whose time of day is given. */
  public LiveDirectory(String strategy, AccessPolicy access, InstantSource clock) {
    this(strategy, access, RightsService.NONE, clock);
  }

  /** Creates a directory whose access may have rules, and whose time of day is given. */
  public LiveDirectory(
      String strategy, AccessPolicy access, RightsService rights, InstantSource clock) {
    this(strategy, TestLimits.patient(), access, rights, store -> store, List.of(), clock);
  }

  LiveDirectory(
      String strategy, ServerLimits limits, AccessPolicy access, UnaryOperator<Backend> between) {
    this(strategy, limits, access, RightsService.NONE, between, List.of(), InstantSource.system());
  }

  /** Creates a directory with a wrapped store and extensions. */
  LiveDirectory(
      String strategy,
      ServerLimits limits,
      UnaryOperator<Backend> between,
      List<Extension> extensions) {
    this(
        strategy,
        limits,
        new AccessPolicy(true),
        RightsService.NONE,
        between,
        extensions,
        InstantSource.system());
  }

  /** Creates a directory of another store, in place of the one in memory, with an extension. */
  public LiveDirectory(
      String strategy, AccessPolicy access, UnaryOperator<Backend> other, Extension extension) {
    this(
        strategy,
        TestLimits.patient(),
        access,
        RightsService.NONE,
        other,
        List.of(extension),
        InstantSource.system());
  }

  private LiveDirectory(
      String strategy,
      ServerLimits limits,
      AccessPolicy access,
      RightsService rights,
      UnaryOperator<Backend> between,
      List<Extension> extensions,
      InstantSource clock) {
    store =
        new InMemoryBackend(
            OperationFixture.SCHEMA,
            List.of(UpdateFixture.dn(UpdateFixture.TOP)),
            UpdateFixture.defaults(),
            true);
    served = between.apply(store);
    RootAccount root =
        new RootAccount(OperationFixture.ROOT.dn(), PasswordHash.parse("rootpw".getBytes(UTF_8)));
    UpdateSettings updates =
        new UpdateSettings(
            false,
            1,
            clock,
            UUID::randomUUID,
            Thread.ofPlatform().daemon().factory(),
            PasswordScheme.SSHA512,
            HashBounds.DEFAULT,
            false,
            true,
            RememberedPasswords.Settings.DEFAULT,
            new SecureRandom(),
            CommitPacer.Source.UNPACED,
            Contention.UNMEASURED,
            new ConsumedContexts());
    operations =
        new DirectoryOperations(
            OperationFixture.SCHEMA,
            List.of(served),
            access,
            limits,
            RootAccounts.of(root),
            System::nanoTime,
            updates,
            extensions,
            false,
            rights,
            TestAccounts.open(updates, System::nanoTime));
    server =
        new DirectoryServer(
            operations,
            DispatchStrategies.create(
                strategy,
                new DispatchSettings(
                    2, 0, 100, 1, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime)),
            limits,
            System::nanoTime);
    operations.openSessionsBy(server::openSession);
  }

  /** Returns the number of errors of the server itself. */
  public long internalErrors() {
    return server.metrics().internalErrors().sum();
  }

  /** Returns whether there is an entry. */
  public boolean holds(String name) {
    try (ReadTransaction read = served.beginRead()) {
      return read.find(UpdateFixture.dn(name)) != ReadTransaction.NO_ENTRY;
    }
  }

  /** Returns the values of an attribute of a stored entry, as texts. */
  public List<String> values(String name, String attribute) {
    List<String> values = new ArrayList<>();
    try (ReadTransaction read = served.beginRead()) {
      EntryView view = new EntryView();
      if (!read.read(read.find(UpdateFixture.dn(name)), view)) {
        throw new AssertionError("no entry " + name);
      }
      for (int i = 0; i < view.attributeCount(); i++) {
        AttributeDescription found = read.attributes().description(view.attributeId(i));
        if (found.type().name().equalsIgnoreCase(attribute)) {
          ValueCursor cursor = new ValueCursor().open(view, i);
          while (cursor.next()) {
            values.add(new String(cursor.value(), UTF_8));
          }
        }
      }
    }
    return values;
  }

  /** Returns a client that has bound as root. */
  public Client root() {
    Client client = open();
    client.bind(OperationFixture.ROOT.dn().toString(), "rootpw");
    return client;
  }

  public Client open() {
    Client client = new Client(clients.size() + 1);
    clients.add(client);
    return client;
  }

  @Override
  public void close() {
    operations.close();
    server.close();
    clients.forEach(client -> client.loop.close());
    store.close();
  }

  /** A message to a client. */
  public record Event(
      int messageId,
      String what,
      @Nullable LdapResult result,
      byte @Nullable [] value,
      List<ResponseControl> controls) {}

  /** A connection with all messages received over it. */
  public final class Client implements ClientConnection {
    final List<Event> events = new ArrayList<>();
    volatile boolean reads = true;

    /** The strength of the connection: from 128 bits on, rules may show secrets. */
    public volatile int bits;

    private final ExecutorService loop =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private final int number;
    private final Session session;
    private @Nullable Thread loopThread;
    private int messageId;

    Client(int number) {
      this.number = number;
      this.session = onLoop(() -> server.openSession(this));
    }

    private <T> T onLoop(java.util.concurrent.Callable<T> work) {
      return Patience.get(
          loop.submit(
              () -> {
                loopThread = Thread.currentThread();
                return work.call();
              }));
    }

    public int nextId() {
      return ++messageId;
    }

    /** Sends a request and does not wait. */
    public int send(Request request) {
      onLoop(
          () -> {
            session.receive(request);
            return true;
          });
      return request.messageId();
    }

    /** Sends a request and waits for its result. */
    public Event ask(Request request) {
      return result(send(request));
    }

    public void bind(String name, String password) {
      Event bound =
          ask(new Request.Bind(nextId(), 3, name, null, password.getBytes(UTF_8), List.of()));
      if (bound.result().code() != ResultCode.SUCCESS) {
        throw new AssertionError("bind: " + bound);
      }
    }

    /**
     * Adds an entry, and waits for the result.
     *
     * @param attributes each as {@code type=value}
     */
    public ResultCode add(String name, String... attributes) {
      List<Request.AttributeValues> values = new ArrayList<>();
      for (String each : attributes) {
        int at = each.indexOf('=');
        byte[] value = each.substring(at + 1).getBytes(UTF_8);
        values.add(new Request.AttributeValues(each.substring(0, at), List.of(value)));
      }
      return ask(new Request.Add(nextId(), name, values, List.of())).result().code();
    }

    public Event extended(String oid, byte @Nullable [] value) {
      return ask(new Request.Extended(nextId(), oid, value, List.of()));
    }

    /** Waits for the result of a request; 0 stands for a notice. */
    public Event result(int id) {
      Patience.eventually("a result for " + id, () -> find(id) != null);
      return find(id);
    }

    public synchronized @Nullable Event find(int id) {
      synchronized (events) {
        for (Event event : events) {
          if (event.messageId() == id && event.result() != null) {
            return event;
          }
        }
        return null;
      }
    }

    /** Returns the entries received for a request so far. */
    public List<Event> entries(int id) {
      synchronized (events) {
        return events.stream()
            .filter(event -> event.messageId() == id && event.result() == null)
            .toList();
      }
    }

    /** Waits for a number of entries for a request. */
    List<Event> entries(int id, int count) {
      Patience.eventually(
          count + " entries for " + id + ", not " + entries(id), () -> entries(id).size() >= count);
      return entries(id);
    }

    void read() {
      onLoop(
          () -> {
            reads = true;
            session.writable();
            return true;
          });
    }

    /** Ends the connection, as one that has failed. */
    public void breakOff() {
      onLoop(
          () -> {
            session.closed();
            return true;
          });
    }

    void drain() {
      onLoop(
          () -> {
            session.drain();
            return true;
          });
    }

    int inFlight() {
      return onLoop(session::inFlightCount);
    }

    BoundIdentity identity() {
      return onLoop(session::identity);
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public int strengthBits() {
      return bits;
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
    public ResponseSink openSink(Request request) {
      return new Sink(request.messageId());
    }

    @Override
    public void resumeReading() {}

    @Override
    public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
      add(List.of(new Event(0, oid, result, value, List.of())));
    }

    @Override
    public void disconnect(@Nullable LdapResult notice) {}

    private void add(List<Event> more) {
      synchronized (events) {
        events.addAll(more);
      }
    }

    private final class Sink implements ResponseSink {
      private final int id;
      private List<Event> pending = new ArrayList<>();
      private volatile boolean suppressed;

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
        pending.add(new Event(id, new String(entry.dn(), UTF_8), null, null, controls));
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
        // These tests ignore referral objects.
      }

      @Override
      public void intermediate(@Nullable String oid, byte @Nullable [] value) {
        throw new AssertionError("an intermediate response");
      }

      @Override
      public void result(Request request, LdapResult result) {
        pending.add(new Event(id, "", result, null, result.controls()));
      }

      @Override
      public void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value) {
        pending.add(new Event(id, "", result, value, result.controls()));
      }

      @Override
      public void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials) {
        pending.add(new Event(id, "", result, serverSaslCredentials, result.controls()));
      }

      @Override
      public boolean isWritable() {
        return reads;
      }

      @Override
      public void flush(@Nullable Runnable completion) {
        List<Event> flushed = pending;
        pending = new ArrayList<>();
        execute(
            () -> {
              if (!suppressed) {
                add(flushed);
              }
              if (completion != null) {
                completion.run();
              }
            });
      }

      @Override
      public void suppress() {
        suppressed = true;
      }
    }
  }
}
