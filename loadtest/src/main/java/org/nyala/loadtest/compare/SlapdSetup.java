package org.nyala.loadtest.compare;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;

/** OpenLDAP's slapd with back-mdb, as Debian installs it. Confined to the thread that compares. */
final class SlapdSetup {
  /** The attributes that Nyala indexes for equality and substrings by default. */
  static final String EQUALITY_AND_SUBSTRING = "uid,cn,sn,givenName,displayName,mail";

  /**
   * The attributes that Nyala indexes for equality by default and that slapd's usual schema has.
   */
  static final String EQUALITY =
      "objectClass,ou,dc,o,c,l,member,uniqueMember,memberUid,owner,manager,seeAlso,entryUUID,"
          + "employeeNumber,uidNumber,gidNumber,telephoneNumber,mobile,associatedDomain";

  private static final Path SCHEMAS = Path.of("/etc/ldap/schema");
  private static final Path MODULES = Path.of("/usr/lib/ldap");

  private final Path directory;

  SlapdSetup(Path directory) {
    this.directory = directory;
  }

  /** Returns whether slapd is installed on this machine. */
  static boolean isInstalled() {
    return Files.isExecutable(Path.of(program("slapd"))) && Files.isDirectory(SCHEMAS);
  }

  private static String program(String name) {
    return "/usr/sbin/" + name;
  }

  /** Loads the entries and returns the time that slapadd took, in seconds. */
  double load(Path ldif) throws IOException, InterruptedException, LoadTestException {
    Files.createDirectories(data());
    Files.deleteIfExists(dataFile());
    Files.deleteIfExists(data().resolve("lock.mdb"));
    return ServerProcess.run(
        List.of(
            program("slapadd"),
            "-q",
            "-f",
            configuration(4, data()).toString(),
            "-l",
            ldif.toString()),
        directory.resolve("slapadd.log"));
  }

  /**
   * Starts a server with this many threads on a copy of the loaded data: a slapd assumes that it is
   * the only writer of its database.
   */
  ServerProcess start(int threads) throws IOException, InterruptedException, LoadTestException {
    Path own = Files.createDirectories(data(threads));
    ServerProcess.run(
        List.of("cp", "--sparse=always", dataFile().toString(), own.toString()),
        directory.resolve("copy.log"));
    InetSocketAddress address = ServerProcess.freeAddress();
    String url = "ldap://127.0.0.1:" + address.getPort() + "/";
    return ServerProcess.start(
        "slapd-" + threads,
        address,
        List.of(
            program("slapd"), "-d", "0", "-f", configuration(threads, own).toString(), "-h", url),
        directory.resolve("slapd-" + threads + ".log"));
  }

  Path dataFile() {
    return data().resolve("data.mdb");
  }

  private Path data() {
    return directory.resolve("data");
  }

  private Path data(int threads) {
    return directory.resolve("data-" + threads);
  }

  private Path configuration(int threads, Path data) throws IOException {
    Path file = directory.resolve("slapd-" + threads + ".conf");
    return Files.writeString(
        file,
        String.format(
            Locale.ROOT,
            """
            include %1$s/core.schema
            include %1$s/cosine.schema
            include %1$s/nis.schema
            include %1$s/inetorgperson.schema
            modulepath %2$s
            moduleload back_mdb
            moduleload sssvlv
            pidfile %3$s/slapd-%4$d.pid
            threads %4$d
            loglevel 0
            sizelimit unlimited
            timelimit unlimited
            access to attrs=userPassword by anonymous auth by * none
            access to * by * read
            database mdb
            suffix "dc=example,dc=com"
            rootdn "%8$s"
            rootpw %9$s
            directory %7$s
            maxsize 68719476736
            index %5$s eq,sub
            index %6$s eq
            overlay sssvlv
            sssvlv-max 10000
            """,
            SCHEMAS,
            MODULES,
            directory,
            threads,
            EQUALITY_AND_SUBSTRING,
            EQUALITY,
            data,
            Account.ROOT.dn(),
            Account.ROOT.password()));
  }
}
