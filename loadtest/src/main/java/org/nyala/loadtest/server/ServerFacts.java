package org.nyala.loadtest.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nyala.loadtest.engine.ReadConnection;
import org.nyala.loadtest.engine.ReadConnection.Entry;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The identity of a server and those of its settings that matter for a measurement, as it shows
 * them to the identity of the test. Immutable.
 *
 * @param identity the vendor in its root DSE (RFC 3045) with its address; the address alone if it
 *     does not state one
 * @param passwordHash the scheme of passwords that are set by clients
 * @param durability whether changes are on disk when they are answered
 */
public record ServerFacts(String identity, String passwordHash, String durability) {
  /** The value of a setting that the server does not show. */
  static final String NOT_READABLE = "not readable";

  /** The time for the connection and for each answer, in seconds. */
  private static final double PATIENCE_SECONDS = 5;

  private static final String DEFAULT_HASH_OF_SLAPD = "{SSHA}";
  private static final String CONFIG_OF_389 = "cn=config";
  private static final String DATABASES_OF_389 = "cn=config,cn=ldbm database,cn=plugins,cn=config";

  /** Asks the server of a test; what it does not answer is not readable. */
  public static ServerFacts read(LoadSettings settings) throws InterruptedException {
    String address = settings.server().getHostString() + ":" + settings.server().getPort();
    try (ReadConnection connection = new ReadConnection(settings, PATIENCE_SECONDS)) {
      Optional<Entry> root =
          connection
              .search(
                  "",
                  ReadConnection.BASE,
                  ReadConnection.ANYTHING,
                  "vendorName",
                  "vendorVersion",
                  "structuralObjectClass",
                  "configContext")
              .stream()
              .findFirst();
      if (root.isEmpty()) {
        return new ServerFacts(address, NOT_READABLE, NOT_READABLE);
      }
      return of(connection, root.get(), address, settings.people().parent());
    } catch (LoadTestException e) {
      return new ServerFacts(address, NOT_READABLE, NOT_READABLE);
    }
  }

  private static ServerFacts of(
      ReadConnection connection, Entry root, String address, String people)
      throws InterruptedException {
    String vendor = vendor(root);
    String identity = vendor.isEmpty() ? address : vendor + " at " + address;
    if (root.first("structuralobjectclass").equalsIgnoreCase("OpenLDAProotDSE")) {
      List<Entry> databases =
          search(
              connection,
              root.first("configcontext"),
              "(olcDatabase=*)",
              "olcDatabase",
              "olcSuffix",
              "olcPasswordHash",
              "olcDbNoSync",
              "olcDbEnvFlags");
      return new ServerFacts(
          vendor.isEmpty() ? "OpenLDAP slapd at " + address : identity,
          hashOfSlapd(databases),
          durabilityOfSlapd(databases, people));
    }
    if (vendor.toLowerCase(Locale.ROOT).contains("389")) {
      return new ServerFacts(
          identity,
          first(search(connection, CONFIG_OF_389, "(cn=config)", "passwordStorageScheme"))
              .orElse(NOT_READABLE),
          first(
                  search(
                      connection,
                      DATABASES_OF_389,
                      "(nsslapd-db-durable-transaction=*)",
                      "nsslapd-db-durable-transaction"))
              .map(value -> durability(isOn(value), "nsslapd-db-durable-transaction: " + value))
              .orElse(NOT_READABLE));
    }
    return new ServerFacts(identity, NOT_READABLE, NOT_READABLE);
  }

  /** The vendor in a root DSE; empty if it has none. */
  static String vendor(Entry root) {
    String name = root.first("vendorname");
    String version = root.first("vendorversion");
    // Most versions begin with the name.
    return version.startsWith(name) ? version : (name + " " + version).strip();
  }

  /** The scheme of new passwords by the configuration of slapd (slapd-config(5)). */
  static String hashOfSlapd(List<Entry> databases) {
    return databases.stream()
        .filter(entry -> entry.first("olcdatabase").endsWith("frontend"))
        .map(entry -> entry.first("olcpasswordhash"))
        .map(hash -> hash.isEmpty() ? DEFAULT_HASH_OF_SLAPD + " (the default)" : hash)
        .findFirst()
        .orElse(NOT_READABLE);
  }

  /** The durability of the database of the people (slapd-mdb(5): dbnosync, envflags). */
  static String durabilityOfSlapd(List<Entry> databases, String people) {
    return databases.stream()
        .filter(entry -> isBelow(people, entry.first("olcsuffix")))
        .map(
            entry -> {
              List<String> settings = new ArrayList<>();
              String noSync = entry.first("olcdbnosync");
              settings.add("olcDbNoSync: " + (noSync.isEmpty() ? "FALSE" : noSync));
              String flags =
                  entry.attributes().getOrDefault("olcdbenvflags", List.of()).stream()
                      .map(flag -> new String(flag, StandardCharsets.UTF_8))
                      .collect(Collectors.joining(" "));
              if (!flags.isEmpty()) {
                settings.add("olcDbEnvFlags: " + flags);
              }
              boolean isUnsafe =
                  isOn(noSync)
                      || flags.contains("nosync")
                      || flags.contains("nometasync")
                      || flags.contains("mapasync");
              return durability(!isUnsafe, String.join(", ", settings));
            })
        .findFirst()
        .orElse(NOT_READABLE);
  }

  private static boolean isBelow(String name, String suffix) {
    String shortName = name.replace(" ", "").toLowerCase(Locale.ROOT);
    String shortSuffix = suffix.replace(" ", "").toLowerCase(Locale.ROOT);
    return !shortSuffix.isEmpty()
        && (shortName.equals(shortSuffix) || shortName.endsWith("," + shortSuffix));
  }

  private static boolean isOn(String value) {
    return value.equalsIgnoreCase("TRUE") || value.equalsIgnoreCase("on");
  }

  private static String durability(boolean isOnDisk, String setting) {
    return (isOnDisk
            ? "changes are on disk when they are answered ("
            : "changes may not be on disk when they are answered (")
        + setting
        + ")";
  }

  private static Optional<String> first(List<Entry> entries) {
    return entries.stream()
        .flatMap(entry -> entry.attributes().keySet().stream().map(entry::first))
        .filter(value -> !value.isEmpty())
        .findFirst();
  }

  private static List<Entry> search(
      ReadConnection connection, String base, String filter, String... names)
      throws InterruptedException {
    if (base.isEmpty()) {
      return List.of();
    }
    try {
      return connection.search(base, ReadConnection.SUBTREE, filter, names);
    } catch (LoadTestException e) {
      return List.of();
    }
  }

  /** All of it in one line. */
  public String text() {
    return identity + "; password hash: " + passwordHash + "; durability: " + durability;
  }

  /** The lines about the circumstances of a test, by name. */
  public Map<String, String> lines() {
    Map<String, String> lines = new LinkedHashMap<>();
    lines.put("server", identity);
    lines.put("password hash of the server", passwordHash);
    lines.put("durability of the server", durability);
    return lines;
  }
}
