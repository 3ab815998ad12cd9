package org.nyala.management;

import java.nio.file.Path;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
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
 * @param readOnly whether every change is refused
 * @param notices what is told without being asked
 * @param reload reads the configuration again; throws IllegalArgumentException when something is
 *     wrong in it
 */
public record ServerParts(
    DirectoryServer directory,
    NettyLdapServer wire,
    LmdbBackend store,
    Path data,
    List<String> listeners,
    IntSupplier workers,
    boolean readOnly,
    Notices notices,
    Supplier<ServerMXBean.Reloaded> reload) {
  /** Copies the list. */
  public ServerParts {
    listeners = List.copyOf(listeners);
  }
}
