package org.nyala.cluster.node;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.join.CopyLimits;
import org.nyala.cluster.join.PeerCertificates;
import org.nyala.cluster.raft.PemFiles;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftSettings.AlarmLimits;
import org.nyala.extension.Command;
import org.nyala.extension.Extension;
import org.nyala.extension.ExtensionSource;
import org.nyala.extension.Section;

/**
 * The source of the extension {@code cluster}, which reads {@code nyala.cluster}.
 *
 * <p>Immutable.
 */
public final class ClusterSource implements ExtensionSource {
  /** The name of the extension, of its object, its folder and its command. */
  static final String NAME = "cluster";

  private static final String ADDRESS = "address";
  private static final int MOST_MILLIS = 60_000;
  private static final int MOST_SECONDS = 600;
  private static final int MOST_MINUTES = 60 * 24 * 30;
  private static final int MOST_MEBIBYTES = 1 << 20;
  private static final int MOST_BATCH_KIBIBYTES = 16 << 10;
  private static final int MOST_GROUP_ENTRIES = 1 << 16;
  private static final int MOST_GROUP_KIBIBYTES = 256 << 10;
  private static final int MOST_PORT = 65_535;

  /**
   * The terms of a member. Immutable.
   *
   * @param host the host by which the other members reach it
   * @param port the port likewise, where it listens on all addresses
   * @param clients the URL by which clients reach it; empty if members refer nobody to it
   * @param tls the files of its keys; null for none
   * @param electionMillis the shortest time without a leader after which it stands for election
   * @param answerSeconds the time that a change waits for a majority
   * @param keptMinutes the time for which entries are kept for members that are away
   * @param keptMebibytes the size of the log from which on they are dropped before
   * @param batchKibibytes the size of a batch from which on no further change goes into it
   * @param groupEntries the number of entries that a member applies in one commit at most
   * @param groupKibibytes the size of such entries together
   * @param copies the limits of copies for other members
   * @param alarms from when on another member is told to be silent or behind
   * @param writes the handling of changes while another member leads
   */
  record Terms(
      String host,
      int port,
      String clients,
      @Nullable Files tls,
      int electionMillis,
      int answerSeconds,
      int keptMinutes,
      int keptMebibytes,
      int batchKibibytes,
      int groupEntries,
      int groupKibibytes,
      CopyLimits copies,
      AlarmLimits alarms,
      Writes writes) {}

  /** The PEM files of mutual TLS: the own certificate and key, and the authorities of others. */
  record Files(Path certificate, Path key, Path trust) {}

  /** A member as it is configured. Immutable. */
  private record ConfiguredCluster(Terms terms) implements Configured {
    @Override
    public Extension open() {
      return new Cluster(terms);
    }

    @Override
    public List<NamedCertificate> certificates() throws RaftException {
      Files files = terms.tls();
      if (files == null) {
        return List.of();
      }
      X509Certificate own = PemFiles.certificates(files.certificate()).getFirst();
      PrivateKey _ = PemFiles.key(files.key(), own);
      List<NamedCertificate> all = new ArrayList<>();
      all.add(new NamedCertificate(files.certificate() + " and " + files.key(), own, terms.host()));
      for (X509Certificate each : PemFiles.certificates(files.trust())) {
        all.add(new NamedCertificate(files.trust().toString(), each, ""));
      }
      return all;
    }
  }

  /** Called by the server. */
  public ClusterSource() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return "1.0";
  }

  @Override
  public String builtWith() {
    return INTERFACE;
  }

  @Override
  public Optional<Configured> read(Section section) {
    Optional<String> address = section.text(ADDRESS);
    String clients = section.text("referTo").orElse("");
    Optional<Path> certificate = section.path("tlsCertificate");
    Optional<Path> key = section.path("tlsKey");
    Optional<Path> trust = section.path("tlsTrust");
    int electionMillis = section.integer("electionMillis", 500, 100, MOST_MILLIS);
    int answerSeconds = section.integer("answerSeconds", 10, 1, MOST_SECONDS);
    int keptMinutes = section.integer("keptMinutes", 60, 1, MOST_MINUTES);
    int keptMebibytes = section.integer("keptMebibytes", 4096, 64, MOST_MEBIBYTES);
    // Larger ones delay the signs of life behind them, and an entry takes 31 MiB at most.
    int batchKibibytes = section.integer("batchKibibytes", 1024, 1, MOST_BATCH_KIBIBYTES);
    // They share one wait for the disk; a member that fails in one of them tries each by itself.
    int groupEntries = section.integer("groupEntries", 256, 1, MOST_GROUP_ENTRIES);
    int groupKibibytes = section.integer("groupKibibytes", 4096, 1, MOST_GROUP_KIBIBYTES);
    CopyLimits copies = CopyLimits.read(section);
    AlarmLimits alarms =
        new AlarmLimits(
            Duration.ofSeconds(section.integer("silentSeconds", 10, 1, MOST_SECONDS)),
            section.integer("lagEntries", 10_000, 1, Integer.MAX_VALUE));
    Writes writes = Writes.read(section);
    if (address.isEmpty()) {
      return Optional.empty();
    }
    requireUrl(section, clients);
    boolean isComplete = certificate.isPresent() && key.isPresent() && trust.isPresent();
    if (!isComplete && (certificate.isPresent() || key.isPresent() || trust.isPresent())) {
      throw section.problem(
          "tlsCertificate", "expected all three of tlsCertificate, tlsKey and tlsTrust, or none");
    }
    int colon = address.get().lastIndexOf(':');
    String host = colon < 0 ? "" : unbracketed(address.get().substring(0, colon));
    int port = colon < 0 ? 0 : port(address.get().substring(colon + 1));
    if (host.isEmpty() || port == 0) {
      throw section.problem(ADDRESS, "expected HOST:PORT with a port from 1 to 65535");
    }
    if (!isComplete && !isLoopback(host)) {
      throw section.problem(
          ADDRESS,
          "others than this machine reach it, and whoever does may read and change everything:"
              + " expected tlsCertificate, tlsKey and tlsTrust, or a host that means this machine"
              + " alone");
    }
    Terms terms =
        new Terms(
            host,
            port,
            clients,
            isComplete ? new Files(certificate.get(), key.get(), trust.get()) : null,
            electionMillis,
            answerSeconds,
            keptMinutes,
            keptMebibytes,
            batchKibibytes,
            groupEntries,
            groupKibibytes,
            copies,
            alarms,
            writes);
    return Optional.of(new ConfiguredCluster(terms));
  }

  private static void requireUrl(Section section, String url) {
    if (!url.isEmpty() && !url.matches("ldaps?://[^/?\\s]+/?")) {
      throw section.problem("referTo", "expected ldap://HOST[:PORT] or ldaps://HOST[:PORT]");
    }
  }

  /** Returns a host without the brackets that an IPv6 address has beside a port. */
  static String unbracketed(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /** Returns the port of a text; 0 if it is none. */
  static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port > MOST_PORT ? 0 : Math.max(port, 0);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  /**
   * Reads the address of a server for members; its name is not looked up.
   *
   * @throws IllegalArgumentException if it is none
   */
  static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    int port = port(text.substring(colon + 1));
    String host = unbracketed(text.substring(0, Math.max(0, colon)));
    if (host.isEmpty() || port == 0) {
      throw new IllegalArgumentException(
          "expected HOST:PORT, the address of a member for members; found " + text);
    }
    return InetSocketAddress.createUnresolved(host, port);
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException _) {
      return false;
    }
  }

  @Override
  public List<Command> commands() {
    return List.of(
        new Command(
            NAME,
            ClusterCommands.USAGE + " | " + PeerCertificates.USAGE + " | demo [FOLDER]",
            "Forms and shows the cluster of this server. status: the members, who leads, how far"
                + " each is; exit code 1 if changes cannot be made. init: makes a cluster of this"
                + " server alone. join: asks the member at HOST:PORT, takes a copy of its data, and"
                + " makes this server a member; --replace gives up data that it has, --instead-of"
                + " removes a member whose disk was lost. form: joins the cluster of the servers at"
                + " the addresses, with exit code 0 once this server is a member; --wait tries"
                + " again for so long. --found: the first of them founds it if all others answer"
                + " that they belong to none. remove: at any member, puts"
                + " one out. transfer: has another member lead. drain: before a planned stop, has"
                + " another member lead, takes no more clients and waits for their operations."
                + " certificates: makes an authority, or takes that of the folder, and a"
                + " certificate with its key for each host; members prove by them who they are."
                + " demo: runs three members here for half a minute, kills the one that leads,"
                + " and shows what clients see.",
            ClusterSource::work,
            true));
  }

  private static int work(List<String> arguments, PrintWriter out, PrintWriter err) {
    List<String> rest = arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
    return switch (arguments.isEmpty() ? "" : arguments.getFirst()) {
      case "certificates" -> PeerCertificates.run(rest, out, err);
      case "demo" -> new ClusterDemo(out, err).run(rest);
      default -> Command.FOR_SERVER;
    };
  }
}
