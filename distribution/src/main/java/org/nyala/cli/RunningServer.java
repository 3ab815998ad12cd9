package org.nyala.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.ServerMetrics;
import org.nyala.core.contention.Contention;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.operation.UpdateSettings;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.Integrity;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.ContentionManagement;
import org.nyala.management.DispatchManagement;
import org.nyala.management.ManagementBeans;
import org.nyala.management.ManagementHttp;
import org.nyala.management.MonitorTree;
import org.nyala.management.Notices;
import org.nyala.management.ServerMeters;
import org.nyala.management.ServerParts;
import org.nyala.management.ServerWatch;
import org.nyala.netty.NettyLdapServer;

/**
 * The composition root: a server with all its parts, put together by plain constructors.
 *
 * <p>Thread-safe. Closing it lets running operations end, and closes the parts in the reverse order
 * of their making.
 */
final class RunningServer implements AutoCloseable {
  /** How long an event loop may take to do nothing. */
  private static final long LIVE_MILLIS = 1000;

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final NettyLdapServer wire;
  private final @Nullable ManagementHttp http;
  private final ServerParts served;
  private final DispatchManagement dispatchManagement;
  private final ContentionManagement contentionManagement;
  private final ServerJobs jobs;
  private final Explaining explaining;

  /** What strategies are made by; another one after the configuration was read again. */
  private volatile NyalaConfig.Dispatch dispatch;

  private final Reconfiguration reconfiguration;
  private final ServerControl control = new ServerControl();

  /** What the parts share. */
  private record Common(
      NyalaConfig configuration,
      ServerMetrics metrics,
      LongSupplier nanoClock,
      Contention contention,
      ServerLogs logs,
      MonitorTree monitor,
      Notices notices) {
    static Common of(NyalaConfig configuration, ServerLogs logs) {
      LongSupplier nanoClock = System::nanoTime;
      InstantSource clock = InstantSource.system();
      return new Common(
          configuration,
          new ServerMetrics(),
          nanoClock,
          new Contention(nanoClock),
          logs,
          new MonitorTree(clock, Main.version()),
          new Notices(clock));
    }
  }

  private RunningServer(
      NyalaConfig configuration, Schema base, Supplier<NyalaConfig> source, LifeSigns signs)
      throws IOException {
    dispatch = configuration.dispatch();
    boolean complete = false;
    try {
      http = http(configuration);
      ServerLogs logs = ServerLogs.open(configuration);
      parts.push(logs);
      Common common = Common.of(configuration, logs);
      LongSupplier nanoClock = common.nanoClock();
      LmdbBackend backend = ServedStore.open(configuration, base);
      parts.push(backend);
      Schema schema = backend.extendedSchema().schema();
      jobs = jobs(common, backend, schema);
      explaining = new Explaining(backend, configuration, nanoClock);
      DirectoryOperations operations = explained(operations(common, backend, schema));
      DirectoryServer directory =
          new DirectoryServer(
              operations,
              strategy(configuration.dispatch().strategy(), dispatch, common),
              configuration.limits(),
              nanoClock,
              common.metrics(),
              logs);
      parts.push(directory);
      dispatchManagement =
          new DispatchManagement(
              directory, name -> strategy(name, dispatch, common), common.notices());
      contentionManagement = new ContentionManagement(directory, common.contention());
      parts.push(contentionManagement);
      // Before the dispatch strategy: what the writers wake has somewhere to go on.
      parts.push(operations);
      configuration
          .updates()
          .dynamic()
          .ifPresent(dynamic -> parts.push(ExpiryTimer.start(operations, dynamic)));
      wire = NettyLdapServer.start(directory, configuration.wire(), nanoClock, common.contention());
      parts.push(wire);
      served = show(common, directory, backend, operations);
      ServerWatch watch = watch(configuration, served, signs);
      reconfiguration =
          new Reconfiguration(
              configuration,
              source,
              new Reconfiguration.Parts(
                  backend,
                  operations,
                  directory,
                  wire,
                  logs,
                  watch,
                  dispatchManagement,
                  this::exchange));
      control.changeBy(reconfiguration);
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private ServerJobs jobs(Common common, LmdbBackend backend, Schema schema) {
    NyalaConfig configuration = common.configuration();
    IndexRequests indexes = StoreIndexes.start(backend, configuration, schema, common.nanoClock());
    parts.push(indexes);
    ServerJobs started =
        new ServerJobs(backend, configuration, indexes, InstantSource.system(), common.notices());
    parts.push(started);
    return started;
  }

  private ServerWatch watch(NyalaConfig configuration, ServerParts shown, LifeSigns signs) {
    ServerWatch started =
        ServerWatch.start(
            shown, configuration.management().watch(), status -> signs.pulse(shown, status));
    parts.push(started);
    return started;
  }

  /** Lets others look at the server, which is complete. */
  private ServerParts show(
      Common common,
      DirectoryServer directory,
      LmdbBackend backend,
      DirectoryOperations operations) {
    NyalaConfig configuration = common.configuration();
    ServerParts parts =
        new ServerParts(
            directory,
            wire,
            backend,
            configuration.data(),
            listeners(),
            this::workers,
            operations::queuedUpdates,
            configuration.updates().readOnly(),
            common.notices(),
            control);
    common.monitor().serve(parts);
    if (http != null) {
      http.serve(
          new ServerMeters(directory, common.logs().dropped()),
          () -> wire.isResponsive(LIVE_MILLIS));
      http.ready(true);
    }
    return parts;
  }

  /** Has strategies made otherwise from now on; how they were made before. One caller at a time. */
  private NyalaConfig.Dispatch exchange(NyalaConfig.Dispatch other) {
    NyalaConfig.Dispatch before = dispatch;
    dispatch = other;
    return before;
  }

  private int workers() {
    int workers = dispatch.workers();
    return workers == 0 ? Runtime.getRuntime().availableProcessors() : workers;
  }

  /** Says what ends the process, for who asks for that over JMX. */
  void endBy(Runnable end) {
    control.endBy(end);
  }

  /** Has somebody hear of who may come in over JMX when the configuration is read again. */
  void tellOfAccounts(Consumer<NyalaConfig.Jmx> listener) {
    reconfiguration.tellOfAccounts(listener);
  }

  /** Takes over what has changed in the configuration, and says in the log what came of it. */
  void reloadAndLog() {
    reconfiguration.reloadAndLog();
  }

  /** Has searches explained to clients. */
  private DirectoryOperations explained(DirectoryOperations operations) {
    ClientExplanations explanations = new ClientExplanations(explaining);
    parts.push(explanations);
    operations.explainBy(explanations);
    return operations;
  }

  private static DirectoryOperations operations(Common common, LmdbBackend backend, Schema schema) {
    NyalaConfig configuration = common.configuration();
    return new DirectoryOperations(
        schema,
        List.of(backend),
        Accounts.access(configuration, schema),
        configuration.limits(),
        Accounts.root(configuration, schema),
        common.nanoClock(),
        updates(common, integrity(configuration, schema, backend)),
        common.monitor());
  }

  /**
   * Starts a server whose configuration does not change.
   *
   * @param installation has the schema files
   * @throws IOException when an address cannot be listened on or a schema file cannot be read
   */
  static RunningServer start(NyalaConfig configuration, Installation installation)
      throws IOException {
    return start(configuration, installation, () -> configuration, LifeSigns.none());
  }

  /**
   * Starts a server.
   *
   * @param installation has the schema files
   * @param source reads the configuration again; throws ConfigurationException
   * @param signs is told every second that the server is alive
   * @throws IOException when an address cannot be listened on or a schema file cannot be read
   */
  static RunningServer start(
      NyalaConfig configuration,
      Installation installation,
      Supplier<NyalaConfig> source,
      LifeSigns signs)
      throws IOException {
    return new RunningServer(configuration, installation.schema(), source, signs);
  }

  private static UpdateSettings updates(Common common, Function<Schema, Integrity> integrity) {
    NyalaConfig configuration = common.configuration();
    NyalaConfig.Updates updates = configuration.updates();
    return new UpdateSettings(
        updates.readOnly(),
        updates.serverId(),
        InstantSource.system(),
        UUID::randomUUID,
        ThreadScheduling.nice(
            configuration.dispatch().writerNiceness(),
            ThreadScheduling.batch(
                Thread.ofPlatform().daemon().name("nyala-writer-", 1).factory())),
        integrity,
        List.of(common.logs()),
        updates.passwordScheme(),
        new SecureRandom(),
        updates.dynamic(),
        WriterPace.of(
            configuration.dispatch().writerSharePercent(),
            configuration.dispatch().writerRestMillis(),
            Runtime.getRuntime().availableProcessors(),
            common.metrics().operationsCompleted()::sum,
            common.nanoClock()),
        common.contention());
  }

  private static Function<Schema, Integrity> integrity(
      NyalaConfig configuration, Schema first, LmdbBackend backend) {
    Integrity now = IntegrityRules.of(configuration, first, Optional.of(backend.indexes()));
    return schema -> {
      try {
        return schema == first
            ? now
            : IntegrityRules.of(configuration, schema, Optional.of(backend.indexes()));
      } catch (ConfigurationException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    };
  }

  private static DispatchStrategy strategy(
      String name, NyalaConfig.Dispatch dispatch, Common common) {
    ThreadFactory threads = Thread.ofPlatform().daemon().name("nyala-worker-", 1).factory();
    ThreadFactory hashers =
        ThreadScheduling.nice(
            dispatch.hashNiceness(), Thread.ofPlatform().daemon().name("nyala-hash-", 1).factory());
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            dispatch.workers(),
            dispatch.queues(),
            dispatch.permits(),
            dispatch.laziness(),
            dispatch.hashThreads(),
            dispatch.ownerSharePercent(),
            threads,
            hashers,
            common.nanoClock(),
            common.contention()));
  }

  /** The first part to come and the last one to go: it tells that the others do not serve yet. */
  private @Nullable ManagementHttp http(NyalaConfig configuration) throws IOException {
    Optional<ListenAddress> address = configuration.management().http();
    if (address.isEmpty()) {
      return null;
    }
    ManagementHttp started =
        ManagementHttp.start(new InetSocketAddress(address.get().host(), address.get().port()));
    parts.push(started);
    return started;
  }

  /** Where it answers HTTP, if it does. */
  Optional<InetSocketAddress> httpAddress() {
    return Optional.ofNullable(http).map(ManagementHttp::address);
  }

  /**
   * Puts all beans into an MBean server; closing what is returned takes them out again.
   *
   * @throws IllegalStateException if another server is registered there
   */
  ManagementBeans register(MBeanServer registry) {
    return new ManagementBeans(registry, served.notices())
        .with(dispatchManagement)
        .with(contentionManagement)
        .with(jobs)
        .with(explaining)
        .with(served, Main.version());
  }

  /** What management looks at. */
  ServerParts served() {
    return served;
  }

  /** What can be seen and changed of its dispatch. */
  DispatchManagement dispatchManagement() {
    return dispatchManagement;
  }

  /** The long work that is asked for. */
  ServerJobs jobs() {
    return jobs;
  }

  /** Explains searches. */
  Explaining explaining() {
    return explaining;
  }

  /** Where the server really listens. */
  List<String> listeners() {
    return wire.addresses().stream().map(RunningServer::url).toList();
  }

  private static String url(InetSocketAddress address) {
    return ListenAddress.url(address.getAddress().getHostAddress(), address.getPort());
  }

  @Override
  public void close() {
    if (http != null) {
      http.ready(false);
    }
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        System.getLogger(RunningServer.class.getName())
            .log(System.Logger.Level.WARNING, "closing: " + Failures.explain(e));
      }
    }
  }
}
