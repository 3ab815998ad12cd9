package org.nyala.management;

import java.nio.file.Path;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.nyala.core.DirectoryServer;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.netty.NettyLdapServer;

/**
 * What management looks at.
 *
 * <p>Immutable; the parts are thread-safe.
 *
 * @param directory what carries out operations
 * @param wire what has the connections
 * @param store what has the data
 * @param data where the data is
 * @param listeners where the server really listens, as URLs
 * @param workers threads beside the event loops
 * @param updatesQueued changes that wait for the writer
 * @param updatesRefused changes that were answered busy because too many waited
 * @param readOnly whether every change is refused
 * @param notices what is told without being asked
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
    boolean readOnly,
    Notifications notices,
    Control control) {
  /** Changes a server as a whole; the methods do and throw what those of its bean do. */
  public interface Control {
    /** Reads the configuration again. */
    ServerMXBean.Reloaded reload();

    /** Changes a limit. */
    long changeLimit(String name, long value);

    /** Ends the process. */
    void stop();
  }

  /** Copies the list. */
  public ServerComponents {
    listeners = List.copyOf(listeners);
  }
}
