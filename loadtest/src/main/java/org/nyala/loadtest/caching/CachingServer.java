package org.nyala.loadtest.caching;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.LongSupplier;
import org.nyala.accounts.PolicedAccounts;
import org.nyala.core.DirectoryServer;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.Schema;
import org.nyala.netty.NettyLdapServer;
import org.nyala.netty.WireSettings;

/**
 * A server of this process over a caching store: wire, dispatch and searches are those of Nyala,
 * with their defaults. Every client may read, and none may write.
 *
 * <p>Thread-safe.
 */
final class CachingServer implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final CachingBackend backend;
  private final DirectoryOperations operations;
  private final DirectoryServer directory;
  private final NettyLdapServer wire;

  private CachingServer(CachingBackend backend, Schema schema, int port) throws IOException {
    LongSupplier clock = System::nanoTime;
    this.backend = backend;
    UpdateSettings updates =
        UpdateSettings.of(1, Thread.ofPlatform().daemon().name("writer-", 0).factory());
    operations =
        new DirectoryOperations(
            schema,
            List.of(backend),
            new AccessPolicy(true),
            ServerLimits.DEFAULT,
            RootAccounts.NONE,
            clock,
            updates,
            List.of(),
            false,
            RightsService.NONE,
            new PolicedAccounts(updates, clock));
    DispatchSettings automatic =
        DispatchSettings.automatic(
            Thread.ofPlatform().daemon().name("worker-", 0).factory(), clock);
    directory =
        new DirectoryServer(
            operations,
            DispatchStrategies.create(DispatchStrategies.DEFAULT, automatic),
            ServerLimits.DEFAULT,
            clock);
    wire = NettyLdapServer.start(directory, WireSettings.on(HOST, port), clock);
  }

  /**
   * Starts a server on the loopback address.
   *
   * @param backend the store, which is closed with the server
   * @param port the port, 0 for a free one
   */
  static CachingServer start(CachingBackend backend, Schema schema, int port) throws IOException {
    return new CachingServer(backend, schema, port);
  }

  /** Returns the address on which the server listens. */
  InetSocketAddress address() {
    return wire.addresses().getFirst();
  }

  /** Stops the server. */
  @Override
  public void close() {
    wire.close();
    operations.close();
    directory.close();
    backend.close();
  }
}
