package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.nyala.advice.AdviceService;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.core.DirectoryServer;
import org.nyala.core.budget.HeapWatch;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.SessionListener;
import org.nyala.core.traffic.SearchShapes;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Installation;
import org.nyala.error.Version;
import org.nyala.extension.Extension;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.log.LoginListener;
import org.nyala.log.OperationEvents;
import org.nyala.management.ContentionManagement;
import org.nyala.management.DispatchManagement;
import org.nyala.management.ManagementBeans;
import org.nyala.management.RecordingManagement;
import org.nyala.management.ServerComponents;
import org.nyala.management.ServerMeters;
import org.nyala.management.ServerWatch;
import org.nyala.management.bean.NoticeKind;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.management.http.ServerHealth;
import org.nyala.management.page.LiveManagement;
import org.nyala.management.page.LivePage;
import org.nyala.management.page.PageSources;
import org.nyala.netty.NettyLdapServer;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsSockets;
import org.nyala.service.Heartbeat;

/**
 * The composition root: a server with all its parts, composed by plain constructors.
 *
 * <p>Thread-safe. Closing it waits for running operations, and closes the parts in the reverse
 * order of their creation.
 */
public final class RunningServer implements AutoCloseable {
  /** The time for which an event loop may be unresponsive. */
  private static final System.Logger LOG = System.getLogger(RunningServer.class.getName());

  private static final long LIVE_MILLIS = 1000;

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final NettyLdapServer wire;
  private final List<WireSettings.Listener> listening;
  private final ServerLogs logs;
  private final ManagementAccess access;
  private final ServerComponents served;
  private final DispatchManagement dispatchManagement;
  private final ContentionManagement contentionManagement;
  private final RecordingManagement recordings = new RecordingManagement(System::nanoTime);
  private final ServerJobs jobs;
  private final ExplainService explaining;
  private final FindingsService findings;
  private final LivePage page;
  private final AdviceService advice;
  private final AccountService accounts;
  private final SyncService syncing;
  private final DirectoryOperations operations;
  private final ConfiguredStrategies strategies;
  private final Reconfiguration reconfiguration;
  private final ServerControl control = new ServerControl();

  private RunningServer(
      NyalaConfig configuration,
      Installation installation,
      Supplier<NyalaConfig> source,
      Heartbeat signs)
      throws IOException {
    Schema base = schema(configuration, installation);
    boolean complete = false;
    try {
      logs = part(ServerLogs.open(configuration));
      access = part(ManagementAccess.open(configuration, logs));
      parts.push(ConfiguredKerberos.takeOver(configuration));
      SharedComponents shared = SharedComponents.of(configuration, logs);
      strategies = new ConfiguredStrategies(shared);
      LmdbBackend backend = part(StoreFactory.open(configuration, base));
      Schema schema = backend.extendedSchema().schema();
      jobs = jobs(shared, backend, schema);
      explaining = new ExplainService(backend, configuration, shared.nanoClock());
      SearchShapes shapes = shapes(shared, backend);
      ConfiguredReplication replication = replication(configuration, backend, schema);
      operations = operations(shared, backend, schema, replication);
      operations.shareWorkers(strategies::workers);
      accounts = AccountService.of(shared, backend, operations);
      DirectoryServer directory = part(directory(shared, operations, shapes));
      operations.openSessionsBy(directory::openSession);
      parts.push(watchHeap(directory));
      dispatchManagement = new DispatchManagement(directory, strategies::create, shared.notices());
      contentionManagement = part(new ContentionManagement(directory, shared.contention()));
      parts.push(recordings);
      // Before the dispatch strategy: operations woken by the writers need somewhere to continue.
      parts.push(operations);
      syncing = copies(replication, shared, operations, directory, backend);
      listening = configuration.wire().listeners();
      wire = part(listen(shared, directory));
      ConnectionRoom.require(wire.connectionRoom(), configuration);
      served = show(shared, directory, backend, operations, shapes);
      advice = advice(shared, shapes, backend);
      findings = new FindingsService(served, configuration, advice, jobs);
      page = part(livePageOf());
      serveHttp(shared, backend);
      reconfiguration =
          new Reconfiguration(
              configuration,
              base,
              installation,
              source,
              new Reconfiguration.Parts(
                  backend,
                  operations,
                  directory,
                  wire,
                  logs,
                  watch(configuration, served, signs),
                  access,
                  dispatchManagement,
                  strategies::exchange));
      control.changeBy(reconfiguration);
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private static @Nullable ConfiguredReplication replication(
      NyalaConfig configuration, LmdbBackend backend, Schema schema) {
    return ConfiguredReplication.of(
        configuration, backend.namingContexts(), backend.indexes(), schema);
  }

  private DirectoryOperations operations(
      SharedComponents shared,
      LmdbBackend backend,
      Schema schema,
      @Nullable ConfiguredReplication replication) {
    return explained(
        ConfiguredOperations.of(
            shared, backend, schema, ConfiguredReplication.consumed(replication, backend)));
  }

  private static AdviceService advice(
      SharedComponents shared, SearchShapes shapes, LmdbBackend backend) {
    return new AdviceService(
        shapes, backend, shared.configuration(), shared.nanoClock(), InstantSource.system());
  }

  private static HeapWatch watchHeap(DirectoryServer directory) {
    return HeapWatch.start(directory.memory(), () -> directory.limits().memory().fullPercent());
  }

  private DirectoryServer directory(
      SharedComponents shared, DirectoryOperations operations, SearchShapes shapes) {
    NyalaConfig configuration = shared.configuration();
    return new DirectoryServer(
        operations,
        strategies.create(configuration.dispatch().strategy()),
        configuration.limits(),
        shared.nanoClock(),
        shared.metrics(),
        SessionListener.of(logs, logs.slow(), shapes, new OperationEvents()),
        new MemoryBudget(ServerMemory.bounds(configuration.limits()), System::nanoTime));
  }

  private static SearchShapes shapes(SharedComponents shared, LmdbBackend backend) {
    return new SearchShapes(
        shared.configuration().management().searchShapes(),
        () -> backend.extendedSchema().schema(),
        shared.nanoClock(),
        new SecureRandom().nextLong());
  }

  private SyncService copies(
      @Nullable ConfiguredReplication replication,
      SharedComponents shared,
      DirectoryOperations operations,
      DirectoryServer directory,
      LmdbBackend backend) {
    List<ConfiguredReplication.Running> copies =
        replication == null
            ? List.of()
            : replication.start(
                shared.configuration(), operations, directory, backend, parts::push);
    Map<String, ContextHandover> contexts = new LinkedHashMap<>();
    backend
        .namingContexts()
        .forEach(
            each ->
                contexts.put(each.toString(), new ContextHandover(operations.directory(), each)));
    control.switchBy(
        new ReadOnlySwitch(
            shared.configuration().updates().readOnly(), contexts.values(), shared.logs()));
    Map<String, String> unfinished = new LinkedHashMap<>();
    ConfiguredReplication.unfinished(replication, backend)
        .forEach((suffix, provider) -> unfinished.put(suffix.toString(), provider));
    unfinished.forEach(
        (suffix, provider) ->
            LOG.log(
                Level.WARNING,
                "{0} is a part of a copy of {1}, whose refresh has not ended, and replication is"
                    + " not configured any more: nothing is changed there, see nyala sync status",
                suffix,
                provider));
    return new SyncService(copies, unfinished, contexts, shared.logs());
  }

  /** Has a part closed before all those that were created earlier. */
  private <T extends AutoCloseable> T part(T part) {
    parts.push(part);
    return part;
  }

  private static NettyLdapServer listen(SharedComponents shared, DirectoryServer directory)
      throws IOException {
    try {
      NettyLdapServer started =
          NettyLdapServer.start(
              directory,
              shared.configuration().wire(),
              shared.nanoClock(),
              shared.contention(),
              shared.logs());
      warnOfPasswords(shared.configuration(), started.addresses());
      return started;
    } catch (TlsFileException e) {
      throw ConfigurationException.of("nyala.tls", String.valueOf(e.getMessage()));
    }
  }

  private static void warnOfPasswords(
      NyalaConfig configuration, List<InetSocketAddress> addresses) {
    boolean areRefused =
        configuration.access().minimumStrength().ofBind(false) > 0
            && configuration.wire().tls().certificates().isEmpty();
    if (areRefused && !addresses.stream().allMatch(each -> each.getAddress().isLoopbackAddress())) {
      System.getLogger(RunningServer.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "clients on other machines cannot bind with a password: that needs encryption"
                  + " (security.minimumStrength.simpleBind), and there is no certificate"
                  + " (tls.certificate)");
    }
  }

  private ServerJobs jobs(SharedComponents shared, LmdbBackend backend, Schema schema) {
    NyalaConfig configuration = shared.configuration();
    IndexRequests indexes = StoreIndexes.start(backend, configuration, schema, shared.nanoClock());
    parts.push(indexes);
    ServerJobs started =
        new ServerJobs(backend, configuration, indexes, InstantSource.system(), shared.notices());
    parts.push(started);
    return started;
  }

  private ServerWatch watch(NyalaConfig configuration, ServerComponents shown, Heartbeat signs) {
    ServerWatch started =
        ServerWatch.start(
            shown,
            configuration.management().watch(),
            status -> {
              signs.pulse(shown, status);
              page.remember(status);
            });
    parts.push(started);
    return started;
  }

  /** Reads the schema; logs which shipped definitions it replaces. */
  private static Schema schema(NyalaConfig configuration, Installation installation)
      throws IOException {
    return configuration.schema(installation, note -> LOG.log(Level.WARNING, "schema: {0}", note));
  }

  /** Makes the complete server visible to management. */
  private ServerComponents show(
      SharedComponents shared,
      DirectoryServer directory,
      LmdbBackend backend,
      DirectoryOperations operations,
      SearchShapes shapes) {
    NyalaConfig configuration = shared.configuration();
    ServerComponents parts =
        new ServerComponents(
            directory,
            wire,
            backend,
            configuration.data(),
            listeners(),
            strategies::workers,
            operations::queuedUpdates,
            operations::refusedUpdates,
            () -> access.certificates(wire.tlsStatus()),
            syncing::getCopies,
            () -> operations.sourceTroubles(directory.nanoTime()),
            syncing::getEpochs,
            () ->
                ConfiguredFeatures.of(
                    control.inForce(configuration), operations.extensions(), wire.tlsStatus()),
            logs.slow(),
            shapes,
            control::isReadOnly,
            shared.notices(),
            control);
    shared.monitor().serve(parts);
    return parts;
  }

  private LivePage livePageOf() {
    return new LivePage(
        new PageSources(
            served,
            Version.program(),
            dispatchManagement,
            jobs,
            explaining,
            accounts,
            findings::advice,
            logs));
  }

  /** Has the HTTP port show the server. */
  private void serveHttp(SharedComponents shared, LmdbBackend backend) {
    access.serve(
        new ServerMeters(served, shared.logs().dropped()),
        new ServerHealth(
            () -> wire.isResponsive(LIVE_MILLIS) && backend.health().isUsable(),
            () -> backend.health().isWritable(),
            () ->
                syncing.getCopies().stream().allMatch(Copy::ready)
                    && syncing.getEpochs().stream().noneMatch(ContextEpoch::isOutdated)
                    && operations.extensions().stream().allMatch(Extension::isCurrent),
            () -> isWritable(shared),
            shared.notices()::raised),
        page);
  }

  /** Returns whether changes are carried out here, in all naming contexts, and stored. */
  private boolean isWritable(SharedComponents shared) {
    return !control.isReadOnly()
        && operations.extensions().stream().allMatch(Extension::isWritable)
        && !shared.notices().isRaised(NoticeKind.CHANGES_FAIL)
        && syncing.getCopies().stream().allMatch(copy -> copy.phase().equals("promoted"));
  }

  /** Sets the action that ends the process with an exit code, as for a stop over JMX. */
  public void endBy(IntConsumer end) {
    control.endBy(end);
  }

  /** Sets the listener of JMX accounts in a reloaded configuration. */
  public void tellOfAccounts(Consumer<NyalaConfig.Jmx> listener) {
    access.tellOfAccounts(listener);
  }

  /** Reloads the configuration, and reports the result to the log. */
  public void reloadAndLog() {
    reconfiguration.reloadAndLog();
  }

  /** Makes explanations available to clients. */
  private DirectoryOperations explained(DirectoryOperations operations) {
    LdapExplainService explanations = new LdapExplainService(explaining);
    parts.push(explanations);
    operations.explainBy(explanations);
    return operations;
  }

  /**
   * Starts a server whose configuration does not change.
   *
   * @param installation has the schema files
   * @throws IOException if it cannot listen on an address or a schema file cannot be read
   */
  public static RunningServer start(NyalaConfig configuration, Installation installation)
      throws IOException {
    return start(configuration, installation, () -> configuration, Heartbeat.none());
  }

  /**
   * Starts a server.
   *
   * @param installation has the schema files
   * @param source reads the configuration again; throws ConfigurationException
   * @param signs receives a call every second that the server is alive
   * @throws IOException if it cannot listen on an address or a schema file cannot be read
   */
  public static RunningServer start(
      NyalaConfig configuration,
      Installation installation,
      Supplier<NyalaConfig> source,
      Heartbeat signs)
      throws IOException {
    return new RunningServer(configuration, installation, source, signs);
  }

  /** Returns the address of the HTTP port, if there is one. */
  public Optional<InetSocketAddress> httpAddress() {
    return access.httpAddress();
  }

  /** Returns the listener of clients of the JMX port. */
  public LoginListener logins() {
    return logs;
  }

  /** Returns the encryption of the JMX port; null if it is not encrypted. */
  public @Nullable TlsSockets jmxTls() {
    return access.jmxTls();
  }

  /**
   * Registers all beans in an MBean server; closing the result unregisters them.
   *
   * @throws IllegalStateException if another server is registered there
   */
  public ManagementBeans register(MBeanServer registry) {
    return new ManagementBeans(registry, served.notices())
        .with(served, Version.program())
        .with(dispatchManagement)
        .with(contentionManagement)
        .with(recordings)
        .with(jobs)
        .with(explaining)
        .with(findings)
        .with(advice)
        .with(accounts)
        .with(syncing)
        .with(new LiveManagement(page))
        .with(new ExtensionService(operations, logs, wire));
  }

  /** Returns the parts that management observes and controls. */
  public ServerComponents served() {
    return served;
  }

  public DispatchManagement dispatchManagement() {
    return dispatchManagement;
  }

  /** Returns the live page. */
  public LivePage livePage() {
    return page;
  }

  ServerJobs jobs() {
    return jobs;
  }

  /** Returns the copies of naming contexts of other servers. */
  SyncService syncing() {
    return syncing;
  }

  ExplainService explaining() {
    return explaining;
  }

  /** Returns the actual addresses of the listeners. */
  public List<String> listeners() {
    Iterator<InetSocketAddress> addresses = wire.addresses().iterator();
    List<String> urls = new ArrayList<>();
    for (WireSettings.Listener listener : listening) {
      LocalSocket local = listener.local();
      if (local != null) {
        urls.add(LocalSocket.url(local.path().toString()));
      } else {
        InetSocketAddress address = addresses.next();
        String host = address.getAddress().getHostAddress();
        boolean isProxied = listener.proxies() != null;
        urls.add(new ListenAddress(host, address.getPort(), listener.isTls(), "", isProxied).url());
      }
    }
    return urls;
  }

  @Override
  public void close() {
    if (access != null) {
      access.stopping();
    }
    if (jobs != null) {
      jobs.stopping();
    }
    if (operations != null) {
      operations.extensions().forEach(Extension::stopping);
    }
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        System.getLogger(RunningServer.class.getName())
            .log(System.Logger.Level.WARNING, "closing: " + ErrorMessages.explain(e));
      }
    }
  }

  /**
   * Checks at the start whether the file descriptors of the process suffice for connections.
   * Stateless.
   */
  public static final class ConnectionRoom {
    /** Fewer connections than this are no service. */
    private static final int LEAST = 16;

    private static final String REMEDY =
        "raise the limit (LimitNOFILE of the systemd unit, 'ulimit -n' before another start)";

    private ConnectionRoom() {}

    /**
     * Refuses a start with too few, and warns if there are fewer than an administrator has asked
     * for.
     *
     * @param room the number of connections for which they suffice; less than 0 if not even for the
     *     rest
     * @throws CommandException if there are too few
     */
    static void require(long room, NyalaConfig configuration) {
      int most = configuration.wire().connections().all();
      if (room < Math.min(LEAST, most)) {
        throw CommandException.failed(
            "the process may have too few file descriptors: "
                + (Math.min(LEAST, most) - room)
                + " more are needed for a few connections; "
                + REMEDY);
      }
      String shortage = shortage(room, configuration);
      if (!shortage.isEmpty()) {
        System.getLogger(ConnectionRoom.class.getName()).log(Level.WARNING, shortage);
      }
    }

    /**
     * Returns the sentence about fewer descriptors than connections that an administrator has asked
     * for; empty if there are enough.
     *
     * @param room the number of connections for which they suffice
     */
    public static String shortage(long room, NyalaConfig configuration) {
      int most = configuration.wire().connections().all();
      // The shipped file names the default.
      boolean isAskedFor = most != WireSettings.on("localhost", 0).connections().all();
      return room < most && isAskedFor
          ? "the file descriptors of the process suffice for "
              + Math.max(0, room)
              + " connections, not for limits.connections = "
              + most
              + ": "
              + REMEDY
          : "";
    }
  }
}
