package org.nyala.server;

import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.nyala.config.NyalaConfig;
import org.nyala.core.contention.Contention;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.error.Version;
import org.nyala.management.MonitorTree;
import org.nyala.management.Notifications;

/**
 * The shared components of a server.
 *
 * <p>Immutable, except for counters and notifications.
 *
 * @param configuration the configuration that the server was started with
 * @param metrics its counters
 * @param nanoClock measures times
 * @param contention counters of waits
 * @param logs its logs
 * @param monitor its monitor tree over LDAP
 * @param notices its notifications
 */
record SharedComponents(
    NyalaConfig configuration,
    ServerMetrics metrics,
    LongSupplier nanoClock,
    Contention contention,
    ServerLogs logs,
    MonitorTree monitor,
    Notifications notices) {

  /** Creates the components of a starting server. */
  static SharedComponents of(NyalaConfig configuration, ServerLogs logs) {
    LongSupplier nanoClock = System::nanoTime;
    InstantSource clock = InstantSource.system();
    return new SharedComponents(
        configuration,
        new ServerMetrics(),
        nanoClock,
        new Contention(nanoClock),
        logs,
        new MonitorTree(clock, Version.program()),
        new Notifications(clock));
  }
}
