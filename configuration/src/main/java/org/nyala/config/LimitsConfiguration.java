package org.nyala.config;

import static org.nyala.config.ConfigSection.MANY;

import org.nyala.core.limits.ServerLimits;

/** Reads the limits of the directory; those of the wire are in the same section. Stateless. */
final class LimitsConfiguration {
  private LimitsConfiguration() {}

  static ServerLimits read(ConfigSection section) {
    return new ServerLimits(
        requestLimits(section),
        searchLimits(section),
        sessionLimits(section),
        updateLimits(section),
        sortLimits(section),
        standingLimits(section),
        memoryLimits(section.section("memory")));
  }

  private static ServerLimits.RequestLimits requestLimits(ConfigSection section) {
    ServerLimits.RequestLimits d = ServerLimits.RequestLimits.DEFAULT;
    return new ServerLimits.RequestLimits(
        section.integer("filterDepth", d.filterDepth(), 1, 512),
        section.integer("filterNodes", d.filterNodes(), 1, 1_000_000),
        section.integer("dnLength", d.dnLength(), 64, 65_535),
        section.integer("dnRdns", d.dnRdns(), 1, 65_536),
        section.integer("requestedAttributes", d.requestedAttributes(), 1, 1_000_000),
        section.integer("controls", d.controls(), 1, 65_536));
  }

  private static ServerLimits.SearchLimits searchLimits(ConfigSection section) {
    ServerLimits.SearchLimits d = ServerLimits.SearchLimits.DEFAULT;
    return new ServerLimits.SearchLimits(
        section.integer("sizeLimit", d.sizeLimit(), 0, MANY),
        section.integer("timeLimitSeconds", d.timeLimitSeconds(), 0, MANY),
        section.integer("lookThroughLimit", d.lookThroughLimit(), 0, MANY),
        section.integer("aliasDepth", d.aliasDepth(), 0, 1024),
        section.integer("dereferencedAttributes", d.dereferencedAttributes(), 1, 1024),
        section.integer("dereferencedValues", d.dereferencedValues(), 0, MANY));
  }

  private static ServerLimits.SessionLimits sessionLimits(ConfigSection section) {
    ServerLimits.SessionLimits d = ServerLimits.SessionLimits.DEFAULT;
    return new ServerLimits.SessionLimits(
        section.integer("inFlightPerConnection", d.inFlightPerConnection(), 1, 65_536),
        section.integer("deferredPerConnection", d.deferredPerConnection(), 1, 65_536),
        section.integer("admissionTimeoutSeconds", d.admissionTimeoutSeconds(), 0, MANY),
        section.integer("hashQueueSeconds", d.hashQueueSeconds(), 0, MANY),
        section.integer("hashQueue", d.hashQueue(), 1, MANY));
  }

  private static ServerLimits.SortLimits sortLimits(ConfigSection section) {
    ServerLimits.SortLimits d = ServerLimits.SortLimits.DEFAULT;
    return new ServerLimits.SortLimits(
        section.integer("sortEntries", d.sortEntries(), 0, MANY),
        section.integer("sortMemoryMebibytes", d.sortMemoryMebibytes(), 1, 65_536));
  }

  private static ServerLimits.UpdateLimits updateLimits(ConfigSection section) {
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    return new ServerLimits.UpdateLimits(
        section.integer("writeQueue", d.writeQueue(), 2, 1 << 24),
        section.integer("writeBatch", d.writeBatch(), 1, 65_536),
        section.integer("treeDeleteEntries", d.treeDeleteEntries(), 1, MANY),
        section.integer("valuesPerAttribute", d.valuesPerAttribute(), 1, MANY),
        section.integer("attributeOptions", d.attributeOptions(), 0, 32_768),
        section.integer("ruleLookups", d.ruleLookups(), 1000, MANY),
        new ServerLimits.EntrySizes(
            section.integer("entryRecordBytes", d.sizes().recordBytes(), 65_536, MANY),
            section.integer("entryBytes", d.sizes().bytes(), 65_536, MANY)));
  }

  private static ServerLimits.MemoryLimits memoryLimits(ConfigSection section) {
    ServerLimits.MemoryLimits d = ServerLimits.MemoryLimits.DEFAULT;
    return new ServerLimits.MemoryLimits(
        section.integer("mebibytes", d.mebibytes(), 0, 1 << 20),
        section.integer("ownerPercent", d.ownerPercent(), 1, 100),
        section.integer("connectionPercent", d.connectionPercent(), 1, 100),
        section.integer("operationMebibytes", d.operationMebibytes(), 0, 1 << 20),
        section.integer("fullPercent", d.fullPercent(), 10, 100),
        section.integer("requestElements", d.requestElements(), 100, MANY),
        section.integer("assertionBytes", d.assertionBytes(), 1024, MANY),
        section.integer(
            "persistentSearchesPerIdentity", d.persistentSearchesPerIdentity(), 0, 1_000_000),
        section.integer(
            "persistentSearchRequestBytes", d.persistentSearchRequestBytes(), 1024, MANY));
  }

  private static ServerLimits.StandingLimits standingLimits(ConfigSection section) {
    ServerLimits.StandingLimits d = ServerLimits.StandingLimits.DEFAULT;
    return new ServerLimits.StandingLimits(
        section.integer("transactions", d.transactions(), 0, 1_000_000),
        section.integer("transactionsPerConnection", d.transactionsPerConnection(), 0, 65_536),
        section.integer("transactionUpdates", d.transactionUpdates(), 1, 1_000_000),
        section.integer("transactionBytes", d.transactionBytes(), 1024, MANY),
        section.integer("persistentSearches", d.persistentSearches(), 0, 1_000_000),
        section.integer(
            "persistentSearchesPerConnection", d.persistentSearchesPerConnection(), 0, 65_536),
        section.integer("persistentSearchBytes", d.persistentSearchBytes(), 1024, MANY));
  }
}
