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
import java.util.function.Function;
import java.util.function.LongSupplier;
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
import org.nyala.netty.NettyLdapServer;

/**
 * The composition root: a server with all its parts, put together by plain constructors.
 *
 * <p>Thread-safe. Closing it lets running operations end, and closes the parts in the reverse order
 * of their making.
 */
final class RunningServer implements AutoCloseable {
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final NettyLdapServer wire;
  private final DispatchManagement dispatchManagement;
  private final ContentionManagement contentionManagement;

  private RunningServer(NyalaConfig configuration, Schema base) throws IOException {
    LongSupplier nanoClock = System::nanoTime;
    ServerMetrics metrics = new ServerMetrics();
    Contention contention = new Contention(nanoClock);
    boolean complete = false;
    try {
      LmdbBackend backend = ServedStore.open(configuration, base);
      Schema schema = backend.extendedSchema().schema();
      parts.push(backend);
      parts.push(StoreIndexes.start(backend, configuration, schema, nanoClock));
      DirectoryOperations operations =
          new DirectoryOperations(
              schema,
              List.of(backend),
              Accounts.access(configuration, schema),
              configuration.limits(),
              Accounts.root(configuration, schema),
              nanoClock,
              updates(
                  configuration,
                  integrity(configuration, schema, backend),
                  metrics,
                  nanoClock,
                  contention));
      DirectoryServer directory =
          new DirectoryServer(
              operations,
              strategy(configuration.dispatch().strategy(), configuration, nanoClock, contention),
              configuration.limits(),
              nanoClock,
              metrics);
      parts.push(directory);
      dispatchManagement =
          new DispatchManagement(
              directory, name -> strategy(name, configuration, nanoClock, contention));
      contentionManagement = new ContentionManagement(directory, contention);
      parts.push(contentionManagement);
      // Before the dispatch strategy: what the writers wake has somewhere to go on.
      parts.push(operations);
      configuration
          .updates()
          .dynamic()
          .ifPresent(dynamic -> parts.push(ExpiryTimer.start(operations, dynamic)));
      wire = NettyLdapServer.start(directory, configuration.wire(), nanoClock, contention);
      parts.push(wire);
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /**
   * Starts a server.
   *
   * @param installation has the schema files
   * @throws IOException when an address cannot be listened on or a schema file cannot be read
   */
  static RunningServer start(NyalaConfig configuration, Installation installation)
      throws IOException {
    return new RunningServer(configuration, installation.schema());
  }

  private static UpdateSettings updates(
      NyalaConfig configuration,
      Function<Schema, Integrity> integrity,
      ServerMetrics metrics,
      LongSupplier nanoClock,
      Contention contention) {
    NyalaConfig.Updates updates = configuration.updates();
    return new UpdateSettings(
        updates.readOnly(),
        updates.serverId(),
        InstantSource.system(),
        UUID::randomUUID,
        ThreadNiceness.of(
            configuration.dispatch().writerNiceness(),
            Thread.ofPlatform().daemon().name("nyala-writer-", 1).factory()),
        integrity,
        List.of(),
        updates.passwordScheme(),
        new SecureRandom(),
        updates.dynamic(),
        WriterPace.of(
            configuration.dispatch().writerSharePercent(),
            Runtime.getRuntime().availableProcessors(),
            metrics.operationsCompleted()::sum,
            nanoClock),
        contention);
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
      String name, NyalaConfig configuration, LongSupplier nanoClock, Contention contention) {
    NyalaConfig.Dispatch dispatch = configuration.dispatch();
    ThreadFactory threads = Thread.ofPlatform().daemon().name("nyala-worker-", 1).factory();
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
            nanoClock,
            contention));
  }

  /** What can be seen and changed of its dispatch. */
  DispatchManagement dispatchManagement() {
    return dispatchManagement;
  }

  /** Measures its contention. */
  ContentionManagement contentionManagement() {
    return contentionManagement;
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
