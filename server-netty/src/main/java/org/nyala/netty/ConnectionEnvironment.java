package org.nyala.netty;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.netty.codec.RequestDecoderPool;
import org.nyala.netty.tls.TlsPort;

/**
 * The objects that connections share.
 *
 * <p>Immutable.
 *
 * @param directory opens their sessions
 * @param settingsNow supplies the settings that bound them; others after the server was
 *     reconfigured
 * @param decoders decode for workers
 * @param table holds them
 * @param open holds them by number, for access from outside
 * @param relief ends some of them when memory runs short
 * @param tls encrypts them; null if there is no certificate
 * @param encryptions the places for their engines
 * @param layerLog counts those whose layer of SASL was broken
 */
record ConnectionEnvironment(
    DirectoryServer directory,
    Supplier<WireSettings> settingsNow,
    RequestDecoderPool decoders,
    ConnectionTable<ConnectionHandler> table,
    OpenConnections open,
    MemoryRelief relief,
    @Nullable TlsPort tls,
    OwnedSlots encryptions,
    SaslLayerLog layerLog) {
  /** Returns the present settings. */
  WireSettings settings() {
    return settingsNow.get();
  }
}
