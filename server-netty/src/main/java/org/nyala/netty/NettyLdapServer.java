package org.nyala.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.contention.Contention;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.netty.accept.AcceptHandler;
import org.nyala.netty.accept.ConnectionLimiter;
import org.nyala.netty.accept.EventLoopChooser;
import org.nyala.netty.accept.EventLoops;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.accept.ProxyHeader;
import org.nyala.netty.accept.RejectedConnections;
import org.nyala.netty.accept.TrustedProxies;
import org.nyala.netty.codec.RequestDecoder;
import org.nyala.netty.codec.RequestDecoderPool;
import org.nyala.netty.tls.TlsEncryption;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsListener;
import org.nyala.netty.tls.TlsPort;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.netty.tls.TlsStatus;

/**
 * The listeners and event loops that bring a {@link DirectoryServer} its connections.
 *
 * <p>Thread-safe. Close it before the directory server, so that running operations can answer.
 */
public final class NettyLdapServer implements AutoCloseable {
  private static final int BACKLOG = 4096;

  private static final long FORCED_CLOSE_MILLIS = 5000;

  /** The time between two looks at the memory of buffers. */
  private static final long BUFFER_MILLIS = 200;

  private volatile WireSettings settings;
  private final Transports transport;
  private final EventLoopChooser loopChoice;
  private final EventLoopGroup acceptor;
  private final AcceptHandler accepted;
  private final EventLoops loops;
  private final ConnectionTable<ConnectionHandler> table;
  private final RejectedConnections refusals;
  private final ConnectionLimiter gate;
  private final ConnectionOpener opener;
  private final ConnectionSweeper sweeper;
  private final OpenConnections open = new OpenConnections();
  private final Listeners listeners;
  private final @Nullable TlsPort tls;
  private boolean closed;

  private NettyLdapServer(
      DirectoryServer directory,
      WireSettings settings,
      LongSupplier nanoClock,
      Contention contention,
      TlsListener tlsListener)
      throws IOException {
    this.settings = settings;
    this.tls = TlsPort.open(settings.tls(), directory.metrics(), tlsListener);
    this.transport = Transports.choose(settings.transport());
    RequestDecoderPool decoders =
        new RequestDecoderPool(
            () -> settings.codec().decoder(directory.limits(), settings.pduLimits().boundBytes()));
    this.loopChoice = new EventLoopChooser(settings.loops().connectionsPerLoop());
    this.acceptor =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory("nyala-accept"),
            transport.ioHandlerFactory(new LongAdder()));
    this.loops =
        new EventLoops(
            settings.eventLoopThreads(),
            new ThreadPerTaskExecutor(new DefaultThreadFactory("nyala-io")),
            loopChoice,
            transport.ioHandlerFactory(directory.metrics().polls()));
    // Event loops have file descriptors of their own, which are open now.
    this.refusals = new RejectedConnections(directory.metrics().connectionsRefused());
    this.listeners = new Listeners(refusals);
    this.gate =
        new ConnectionLimiter(
            refusals, settings.connections().all(), settings.connections().perAddress());
    this.refusals.relieveBy(gate::relieve);
    this.accepted = new AcceptHandler(gate, acceptor.next(), loops.executorCount());
    this.table = ConnectionTable.of(settings.table(), loops, contention);
    ConnectionEnvironment environment =
        new ConnectionEnvironment(
            directory,
            () -> this.settings,
            decoders,
            table,
            open,
            relief(directory, nanoClock),
            tls,
            new OwnedSlots(
                OwnedSlots.Kind.ENCRYPTIONS,
                directory.memory().roomToOpen(TlsEncryption.ENGINE_BYTES)),
            new SaslLayerLog(directory.metrics()));
    this.opener = new ConnectionOpener(environment, loops, loopChoice, accepted, refusals);
    this.sweeper =
        new ConnectionSweeper(
            table, () -> this.settings, nanoClock, () -> directory.memory().isTight());
  }

  private MemoryRelief relief(DirectoryServer directory, LongSupplier nanoClock) {
    MemoryRelief relief =
        new MemoryRelief(
            directory.memory(),
            open,
            directory::dropKept,
            work -> loops.iterator().next().execute(work),
            nanoClock);
    directory.memory().relieveBy(relief::want);
    directory.memory().wakeBy(() -> sweeper.wake(loops));
    directory.memory().relieveHeapBy(relief::relieveHeap);
    Future<?> _ =
        acceptor
            .next()
            .scheduleWithFixedDelay(
                () -> relief.lookAtBuffers(directory.limits().memory().fullPercent()),
                BUFFER_MILLIS,
                BUFFER_MILLIS,
                TimeUnit.MILLISECONDS);
    return relief;
  }

  /**
   * Starts listening.
   *
   * @param directory opens the sessions; not closed by this server
   * @param settings the addresses to listen on and the bounds
   * @param nanoClock the clock of the timeouts, in nanoseconds
   * @throws IOException if an address cannot be listened on or the transport is not available here
   */
  public static NettyLdapServer start(
      DirectoryServer directory, WireSettings settings, LongSupplier nanoClock) throws IOException {
    return start(directory, settings, nanoClock, Contention.UNMEASURED, TlsListener.NONE);
  }

  /**
   * Starts listening, with locks whose contention may be measured.
   *
   * @param contention creates the locks of the connection table
   * @param tlsListener learns of failed handshakes and new certificates
   * @throws IOException if an address cannot be listened on or the transport is not available here
   */
  public static NettyLdapServer start(
      DirectoryServer directory,
      WireSettings settings,
      LongSupplier nanoClock,
      Contention contention,
      TlsListener tlsListener)
      throws IOException {
    String missing = Transports.missing(settings.transport());
    if (missing != null) {
      throw new IOException(missing);
    }
    NettyLdapServer server =
        new NettyLdapServer(directory, settings, nanoClock, contention, tlsListener);
    try {
      server.listen(new BoundedReceipt(directory.memory()));
    } catch (IOException e) {
      server.close();
      throw e;
    }
    return server;
  }

  /**
   * Changes the bounds on connections: how many there may be from now on, and how long those opened
   * from now on may be silent. Listeners, threads, buffers and the lengths of messages stay.
   */
  public void reconfigure(WireSettings other) {
    settings = other;
    gate.reconfigure(other.connections().all(), other.connections().perAddress());
  }

  /**
   * Reads the certificates and keys anew.
   *
   * @return null if there is no encryption, before or afterwards
   * @throws TlsFileException if a file cannot be used
   */
  public TlsPort.@Nullable Renewal readTls(TlsSettings other) throws TlsFileException {
    return tls == null || other.certificates().isEmpty() ? null : tls.read(other);
  }

  /**
   * Returns the number of connections for which the file descriptors of the process suffice; 0 or
   * less if they do not suffice for what the server needs beside connections.
   */
  public long connectionRoom() {
    return refusals.room();
  }

  /** Returns the state of the certificates; null if there is no encryption. */
  public @Nullable TlsStatus tlsStatus() {
    return tls == null ? null : tls.status();
  }

  private void listen(BoundedReceipt sizes) throws IOException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptor, loops)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, sizes)
            .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, UnsentOutput.BY_MEMORY)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(
                    settings.waterMarks().lowBytes(), settings.waterMarks().highBytes()))
            .handler(accepted);
    for (WireSettings.Listener listener : settings.listeners()) {
      ServerBootstrap opening = bootstrap.clone().childHandler(opener.of(listener));
      LocalSocket local = listener.local();
      if (local == null) {
        if (listener.proxies() != null) {
          AcceptHandler.expectProxies(opening);
        }
        listeners.bind(overNetwork(opening), listener);
      } else {
        opening.channel(transport.localServerChannel());
        listeners.bindLocal(opening, local, transport.localAddress(local.path()));
      }
    }
    loops.forEach(sweeper::begin);
  }

  private ServerBootstrap overNetwork(ServerBootstrap bootstrap) {
    return bootstrap
        .channel(transport.serverChannel())
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /**
   * Returns the addresses of the network that the server listens on, in the order of the settings,
   * with the ports that it got.
   */
  public synchronized List<InetSocketAddress> addresses() {
    return listeners.addresses();
  }

  /**
   * Returns whether every event loop, including that of the listeners, runs a task within some
   * time. Not to be called on an event loop.
   */
  public boolean isResponsive(long millis) {
    CountDownLatch answers = new CountDownLatch(loops.executorCount() + 1);
    try {
      acceptor.execute(answers::countDown);
      loops.forEach(loop -> loop.execute(answers::countDown));
      return answers.await(millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the open connections, by number. */
  public List<ConnectionStatus> connections() {
    return open.statuses();
  }

  /**
   * Ends a connection, with a notice of disconnection with the code {@code unavailable}; its
   * operations end without an answer.
   *
   * @return false if no connection has that number
   */
  public boolean disconnect(int number) {
    return open.disconnect(number);
  }

  /**
   * Shows the running operations: each event loop shows its own, one after the other. Not to be
   * called on an event loop.
   *
   * @param visitor called on event loops, possibly several at once; operations not shown within a
   *     second are left out
   */
  public void visitRunning(Consumer<Operation> visitor) {
    try {
      open.visitRunning(visitor);
      boolean _ = isResponsive(OpenConnections.VISIT_MILLIS);
    } catch (RejectedExecutionException e) {
      // The event loops end, so nothing runs for long any more.
    }
  }

  /**
   * Cancels an operation: it ends with the result {@code canceled}, unless its answer is on the
   * way. Not to be called on an event loop.
   *
   * @return false if there is no such operation, if it cannot be canceled, or if that is not known
   *     within a second
   */
  public boolean cancel(int connectionNumber, int messageId) {
    return open.cancel(connectionNumber, messageId);
  }

  /** Returns the number of bytes that buffers outside the heap may take in this process. */
  public static long bufferBytes() {
    return PlatformDependent.maxDirectMemory();
  }

  /** Returns the number of threads that serve connections. */
  public int eventLoops() {
    return loops.executorCount();
  }

  /** Returns the number of open connections. */
  public int connectionCount() {
    return gate.count();
  }

  /**
   * Returns the reason why the last rejected client found no room, and the remedy; empty if there
   * was none.
   */
  public String refusal() {
    return refusals.reason();
  }

  /**
   * Returns the kind of connection table: {@code per-loop}, {@code global-lock} or {@code
   * sharded(n)}.
   */
  public String connectionTable() {
    return settings.table().label();
  }

  /** Returns the transport of the event loops: {@code epoll}, {@code io_uring} or {@code nio}. */
  public String transport() {
    return transport.label();
  }

  /**
   * Takes no further connections, for good; those that are open are served on. Idempotent. Not to
   * be called on an event loop.
   */
  public synchronized void stopAccepting() {
    try {
      acceptor.submit(accepted::close).awaitUninterruptibly();
    } catch (RejectedExecutionException e) {
      // Its loop has ended, and the listeners with it: the rest is closed nevertheless.
      listeners.forget();
    }
    listeners.close();
  }

  /**
   * Stops accepting and reading, lets running operations end for as long as the settings allow,
   * notifies every client that the server is going, and stops the event loops. Idempotent.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    stopAccepting();
    LdapResult notice = LdapResult.of(ResultCode.UNAVAILABLE, "the server is shutting down");
    opener.close();
    loops.forEach(loop -> loop.execute(() -> startDrain(loop, notice)));
    if (!awaitEmpty(settings.timeouts().drainMillis())) {
      loops.forEach(loop -> loop.execute(() -> table.forEach(loop, ConnectionHandler::closeNow)));
      awaitEmpty(FORCED_CLOSE_MILLIS);
    }
    for (EventLoopGroup group : List.of(acceptor, loops)) {
      group
          .shutdownGracefully(0, FORCED_CLOSE_MILLIS, TimeUnit.MILLISECONDS)
          .awaitUninterruptibly();
    }
    if (tls != null) {
      tls.close();
    }
  }

  /** Operations may end on any thread; a frequent sweep notices. */
  private void startDrain(EventExecutor loop, LdapResult notice) {
    table.forEach(loop, connection -> connection.drain(notice));
    sweeper.hurry(loop);
  }

  private boolean awaitEmpty(long millis) {
    try {
      return gate.awaitEmpty(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Opens the connections that were accepted, or refuses them.
   *
   * <p>Thread-safe; each connection is opened on its event loop.
   */
  private static final class ConnectionOpener {
    private final ConnectionEnvironment environment;
    private final EventLoopChooser loopChoice;
    private final AcceptHandler accepted;
    private final RejectedConnections refusals;
    private final IdentityHashMap<EventExecutor, LoopParts> loopParts = new IdentityHashMap<>();

    /** The connections whose proxies have yet to say for whom they connect. */
    private final Set<Channel> awaited = ConcurrentHashMap.newKeySet();

    private volatile boolean isClosed;

    /** The objects that the connections of an event loop share. */
    private record LoopParts(RequestDecoder decoder, LoopTurns turns) {}

    ConnectionOpener(
        ConnectionEnvironment environment,
        EventLoops loops,
        EventLoopChooser loopChoice,
        AcceptHandler accepted,
        RejectedConnections refusals) {
      this.environment = environment;
      this.loopChoice = loopChoice;
      this.accepted = accepted;
      this.refusals = refusals;
      for (EventExecutor loop : loops) {
        loopParts.put(loop, new LoopParts(environment.decoders().take(), new LoopTurns(loop)));
      }
    }

    /** Returns the handler that opens the connections of a listener. */
    ChannelInitializer<Channel> of(WireSettings.Listener listener) {
      return new ChannelInitializer<>() {
        @Override
        protected void initChannel(Channel channel) {
          open(channel, listener);
        }
      };
    }

    private void open(Channel channel, WireSettings.Listener listener) {
      channel.closeFuture().addListener(_ -> loopChoice.left(channel.eventLoop()));
      int number = accepted.open(channel);
      TrustedProxies proxies = listener.proxies();
      if (number == 0) {
        refuse(channel, listener);
      } else if (proxies == null) {
        serve(channel, listener, number);
      } else if (isFrom(proxies, channel)) {
        awaitHeader(channel, listener, number);
      } else {
        refusals.add("only the proxies of proxy.from may connect to this listener");
        ChannelFuture _ = channel.close();
      }
    }

    private static void refuse(Channel channel, WireSettings.Listener listener) {
      if (listener.isTls()) {
        // Not in clear text.
        ChannelFuture _ = channel.close();
      } else {
        AcceptHandler.refuse(channel);
      }
    }

    private static boolean isFrom(TrustedProxies proxies, Channel channel) {
      return channel.remoteAddress() instanceof InetSocketAddress remote
          && remote.getAddress() != null
          && proxies.include(remote.getAddress());
    }

    private void awaitHeader(Channel channel, WireSettings.Listener listener, int number) {
      awaited.add(channel);
      channel.closeFuture().addListener(_ -> awaited.remove(channel));
      ProxyHeader.await(
          channel,
          environment.settings().timeouts().partialPduMillis(),
          () -> serveProxied(channel, listener, number),
          () -> refusals.add("a proxy has not sent the header of the PROXY protocol"));
      if (isClosed) {
        ChannelFuture _ = channel.close();
      }
    }

    private void serveProxied(Channel channel, WireSettings.Listener listener, int number) {
      awaited.remove(channel);
      if (accepted.identify(channel)) {
        serve(channel, listener, number);
      } else {
        refuse(channel, listener);
      }
    }

    /** Serves a connection whose client is known. */
    private void serve(Channel channel, WireSettings.Listener listener, int number) {
      LoopParts parts = loopParts.get(channel.eventLoop());
      if (parts == null) {
        throw new IllegalStateException("a channel on an event loop that is not the server's");
      }
      ConnectionHandler connection =
          new ConnectionHandler(environment, channel, number, parts.decoder(), parts.turns());
      channel.pipeline().addLast(connection);
      AcceptHandler.serve(channel, connection);
      LocalSocket local = listener.local();
      if (local != null) {
        connection.encryption().protectLocally(local.strengthBits());
      }
      if (listener.isTls()) {
        connection.encryption().begin();
      }
    }

    /** Ends the connections that have not begun. Any thread. */
    void close() {
      isClosed = true;
      awaited.forEach(
          channel -> {
            ChannelFuture _ = channel.close();
          });
    }
  }
}
