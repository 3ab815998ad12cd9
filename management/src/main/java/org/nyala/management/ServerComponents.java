package org.nyala.management;

import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.nyala.core.DirectoryServer;
import org.nyala.core.traffic.SearchShapes;
import org.nyala.core.update.SourceTroubles;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.log.SlowRequests;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.netty.NettyLdapServer;
import org.nyala.netty.tls.TlsStatus;

/**
 * The parts of a server that management observes and controls.
 *
 * <p>Immutable; the parts are thread-safe.
 *
 * @param directory executes operations
 * @param wire holds the connections
 * @param store holds the data
 * @param data the data directory
 * @param listeners the actual addresses of the listeners, as URLs
 * @param workers threads beside the event loops
 * @param updatesQueued changes that wait for the writer
 * @param updatesRefused changes that were answered busy because too many waited
 * @param certificates the states of certificates, those of LDAP and of management
 * @param copies the copies of naming contexts of other servers
 * @param sourceTroubles what prevents others from copying this server
 * @param epochs the epochs of all naming contexts
 * @param features what its configuration switches on
 * @param slow the table of slow requests
 * @param shapes the table of searches by shape
 * @param readOnly whether every change is refused
 * @param notices the notifications
 * @param control changes the server as a whole
 */
public record ServerComponents(
    DirectoryServer directory,
    NettyLdapServer wire,
    LmdbBackend store,
    Path data,
    List<String> listeners,
    IntSupplier workers,
    IntSupplier updatesQueued,
    LongSupplier updatesRefused,
    Supplier<List<TlsStatus>> certificates,
    Supplier<List<SyncMXBean.Copy>> copies,
    Supplier<SourceTroubles> sourceTroubles,
    Supplier<List<SyncMXBean.ContextEpoch>> epochs,
    Supplier<ServedFeatures> features,
    SlowRequests slow,
    SearchShapes shapes,
    BooleanSupplier readOnly,
    Notifications notices,
    Control control) {
  /** Changes a server as a whole; the methods act and throw like those of its bean. */
  public interface Control {
    ServerMXBean.Reloaded reload();

    long changeLimit(String name, long value);

    /** Ends all changes, or takes them up again; returns whether they had ended. */
    boolean switchReadOnly(boolean on, String by);

    /** Ends the process. */
    void stop();

    /**
     * Ends the process because the store cannot be opened again, unless the server is part of
     * another program.
     */
    void endWithoutStore();
  }

  public ServerComponents {
    listeners = List.copyOf(listeners);
  }
}
