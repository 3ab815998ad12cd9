package org.nyala.blind;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * Two servers in this process whose directories differ in what rules hide.
 *
 * <p>Confined to one thread.
 */
final class Twins implements AutoCloseable {
  /** A server, the connection of root to it, and what its generated values are known by. */
  record Twin(boolean isFirst, RunningServer server, LDAPConnection root, Messages.Known known) {}

  private final List<Twin> twins = new ArrayList<>();
  private final List<String> ldif = new ArrayList<>();
  private final Scenario scenario;
  private int number;

  Twins(Path folder, Scenario scenario) throws Exception {
    this.scenario = scenario;
    for (boolean isFirst : new boolean[] {true, false}) {
      Path home = Files.createDirectories(folder.resolve(isFirst ? "first" : "second"));
      ldif.add(TwinData.ldif(isFirst, scenario.hidden()));
      Path data = Files.writeString(home.resolve("data.ldif"), ldif.getLast());
      Path file = ServerProcess.configure(home, scenario.lines() + rules(scenario, home));
      new LocalCommands().shouldSucceed(file, "import", data.toString());
      RunningServer server = LocalServer.startFrom(file, home);
      twins.add(new Twin(isFirst, server, LocalServer.connectAsRoot(server), new Messages.Known()));
    }
  }

  private static String rules(Scenario scenario, Path home) throws IOException {
    String rules = scenario.rules();
    if (rules == null) {
      rules = Files.readString(Path.of("src/packaging/conf/access.rules"));
    }
    if (rules.isEmpty()) {
      return "";
    }
    Files.writeString(home.resolve("access.rules"), rules);
    return "\naccess.rules = access.rules\n";
  }

  boolean hides(Secret secret) {
    return scenario.hidden().contains(secret);
  }

  boolean showsStrangersSomething() {
    return scenario.showsStrangersSomething();
  }

  /** Returns a number that it has not returned before. */
  int next() {
    return number++;
  }

  List<Twin> all() {
    return twins;
  }

  /** Returns the LDIF that both were loaded with. */
  List<String> ldif() {
    return ldif;
  }

  /** A change by root. */
  @FunctionalInterface
  interface Change {
    LDAPResult by(LDAPConnection root) throws LDAPException;
  }

  /** Makes a change on one of the servers; returns the code of its result. */
  static int change(Twin twin, Change change) {
    try {
      return change.by(twin.root()).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  @Override
  public void close() {
    for (Twin each : twins) {
      each.root().close();
      each.server().close();
    }
  }
}
