package org.nyala.netty;

import java.util.function.Supplier;
import org.nyala.core.DirectoryServer;
import org.nyala.netty.codec.RequestDecoderPool;

/**
 * What connections share.
 *
 * <p>Immutable.
 *
 * @param directory opens their sessions
 * @param settingsNow bounds them; others after the server was reconfigured
 * @param decoders decode for workers
 * @param table keeps them
 * @param open has them by number, for whoever looks at them from outside
 * @param relief ends some of them when memory runs short
 */
record ConnectionEnvironment(
    DirectoryServer directory,
    Supplier<WireSettings> settingsNow,
    RequestDecoderPool decoders,
    ConnectionTable<ConnectionHandler> table,
    OpenConnections open,
    MemoryRelief relief) {
  /** The bounds of the moment. */
  WireSettings settings() {
    return settingsNow.get();
  }
}
