package org.nyala.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.lmdb.LmdbSettings;
import org.nyala.netty.WireSettings;

/**
 * Everything that the configuration file says, one record per module.
 *
 * <p>Immutable.
 *
 * @param data the data directory
 * @param root the account that no limit binds; nothing where there is none
 * @param access who may read what
 * @param dispatch where operations run
 * @param limits the directory's bounds
 * @param wire the listeners and the wire's bounds
 * @param store how the store is opened
 * @param indexes the kinds of index of each attribute, for stores that are made from now on;
 *     nothing where the program's own choice stands
 */
record NyalaConfig(
    Path data,
    Optional<Root> root,
    AccessPolicy access,
    Dispatch dispatch,
    ServerLimits limits,
    WireSettings wire,
    LmdbSettings store,
    Optional<Map<String, List<String>>> indexes) {

  /**
   * The root account.
   *
   * @param dn its name
   * @param password its password, hashed with a scheme in braces or in clear text
   */
  record Root(String dn, String password) {
    /** Leaves the password out. */
    @Override
    public String toString() {
      return "Root[dn=" + dn + "]";
    }
  }

  /**
   * Where operations run.
   *
   * @param strategy the name of a strategy
   * @param workers threads beside the event loops; 0 is automatic
   * @param permits operations beside the event loops at once; 0 is automatic
   * @param laziness free permits at which a waiting connection is read again
   * @param hashThreads threads for slow password hashes; 0 is automatic
   */
  record Dispatch(String strategy, int workers, int permits, int laziness, int hashThreads) {}

  NyalaConfig withData(Path other) {
    return new NyalaConfig(other, root, access, dispatch, limits, wire, store, indexes);
  }

  NyalaConfig withAccess(AccessPolicy other) {
    return new NyalaConfig(data, root, other, dispatch, limits, wire, store, indexes);
  }

  NyalaConfig withListeners(List<ListenAddress> addresses) {
    WireSettings other =
        new WireSettings(
            addresses.stream().map(ListenAddress::toListener).toList(),
            wire.transport(),
            wire.eventLoops(),
            wire.pduLimitAnonymousBytes(),
            wire.pduLimitBoundBytes(),
            wire.connections(),
            wire.connectionsPerAddress(),
            wire.partialPduTimeoutMillis(),
            wire.idleTimeoutMillis(),
            wire.writeStallTimeoutMillis(),
            wire.drainTimeoutMillis(),
            wire.waterMarks());
    return new NyalaConfig(data, root, access, dispatch, limits, other, store, indexes);
  }

  /** Refuses a data directory without data. */
  void requireData() {
    if (!Files.isRegularFile(data.resolve("data.mdb"))) {
      throw CommandException.failed(
          "there is no directory data in " + data + ": run 'nyala import' first");
    }
  }
}
