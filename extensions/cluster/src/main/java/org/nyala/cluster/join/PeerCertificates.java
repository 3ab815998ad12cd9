package org.nyala.cluster.join;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.cluster.raft.PemFiles;
import org.nyala.cluster.raft.RaftException;
import org.nyala.core.certificate.CertificateMaker;
import org.nyala.core.certificate.CertificateMaker.Authority;
import org.nyala.core.certificate.CertificateMaker.Pem;

/**
 * The command that makes an authority of a cluster's own, and the certificates of its members.
 *
 * <p>Confined to one thread.
 */
public final class PeerCertificates {
  /** The arguments after the name of the command. */
  public static final String USAGE = "certificates [--days N] FOLDER HOST[,HOST]...";

  /** The longest validity, of the authority too: ten years. */
  private static final int MOST_DAYS = 3_650;

  private static final int USUAL_DAYS = 365;
  private static final int MOST_HOSTS = 100;
  private static final String AUTHORITY = "cluster-ca";
  private static final String PEM = ".pem";
  private static final String KEY = ".key";
  private static final String FOR_ALL = "rw-r--r--";
  private static final String FOR_OWNER = "rw-------";

  private final Path folder;
  private final List<List<String>> members;
  private final int days;
  private final PrintWriter out;
  private final Instant now = Instant.now();
  private final SecureRandom random = new SecureRandom();

  private PeerCertificates(Path folder, List<List<String>> members, int days, PrintWriter out) {
    this.folder = folder;
    this.members = members;
    this.days = days;
    this.out = out;
  }

  /**
   * Runs the command. An authority that the folder has already vouches for the new members; no file
   * is written over.
   *
   * @param arguments those after the word {@code certificates}
   * @return the exit code: 0 for done, 1 for failed
   * @throws IllegalArgumentException if the arguments are wrong; the message says why
   */
  public static int run(List<String> arguments, PrintWriter out, PrintWriter err) {
    List<String> words = new ArrayList<>(arguments);
    int days = USUAL_DAYS;
    int option = words.indexOf("--days");
    if (option >= 0) {
      days = days(option + 1 < words.size() ? words.get(option + 1) : "");
      words.subList(option, option + 2).clear();
    }
    if (words.size() < 2 || words.size() > 1 + MOST_HOSTS) {
      throw new IllegalArgumentException(
          "expected the folder for the files, and 1 to " + MOST_HOSTS + " hosts");
    }
    List<List<String>> members = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String word : words.subList(1, words.size())) {
      List<String> hosts =
          Arrays.stream(word.toLowerCase(Locale.ROOT).split(",", -1))
              .map(CertificateMaker::hostName)
              .toList();
      if (!names.add(file(hosts))) {
        throw new IllegalArgumentException("the host '" + hosts.getFirst() + "' is named twice");
      }
      members.add(hosts);
    }
    try {
      new PeerCertificates(Path.of(words.getFirst()), members, days, out).make();
      return 0;
    } catch (FileAlreadyExistsException e) {
      err.println(e.getFile() + " is there already, and was not changed");
    } catch (RaftException e) {
      err.println(e.getMessage());
    } catch (IOException e) {
      err.println("the certificates cannot be written: " + e);
    }
    return 1;
  }

  private static int days(String text) {
    try {
      int days = Integer.parseInt(text);
      if (days >= 1 && days <= MOST_DAYS) {
        return days;
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw new IllegalArgumentException("--days: expected a number from 1 to " + MOST_DAYS);
  }

  /** Returns the name of a member's files: its first host, where colons are no part of names. */
  private static String file(List<String> hosts) {
    return hosts.getFirst().replace(':', '-');
  }

  private void make() throws IOException {
    Files.createDirectories(folder);
    for (List<String> hosts : members) {
      requireNone(folder.resolve(file(hosts) + PEM));
      requireNone(folder.resolve(file(hosts) + KEY));
    }
    Authority authority = authority();
    out.println(
        "# The key of the authority, "
            + folder.resolve(AUTHORITY + KEY)
            + ", makes further members: it belongs on none of them.");
    for (List<String> hosts : members) {
      Pem made = CertificateMaker.issued(authority, hosts, days, now, random);
      Path certificate = folder.resolve(file(hosts) + PEM);
      Path key = folder.resolve(file(hosts) + KEY);
      create(key, made.key(), FOR_OWNER);
      create(certificate, made.certificate(), FOR_ALL);
      out.println();
      out.println("# " + String.join(", ", hosts));
      out.println("nyala.cluster.tlsCertificate = " + quoted(certificate));
      out.println("nyala.cluster.tlsKey = " + quoted(key));
      out.println("nyala.cluster.tlsTrust = " + quoted(folder.resolve(AUTHORITY + PEM)));
    }
  }

  private static void requireNone(Path file) throws FileAlreadyExistsException {
    if (Files.exists(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
  }

  /** Returns the authority of the folder, or makes one if there is none. */
  private Authority authority() throws IOException {
    Path certificate = folder.resolve(AUTHORITY + PEM);
    Path key = folder.resolve(AUTHORITY + KEY);
    if (!Files.exists(certificate) && !Files.exists(key)) {
      Pem made =
          CertificateMaker.authority(
              "Nyala cluster " + now.getEpochSecond(), MOST_DAYS, now, random);
      create(key, made.key(), FOR_OWNER);
      create(certificate, made.certificate(), FOR_ALL);
    }
    X509Certificate known = PemFiles.certificates(certificate).getFirst();
    if (!known.getPublicKey().getAlgorithm().equals("EC") || known.getBasicConstraints() < 0) {
      throw new RaftException(
          "The file " + certificate + " is no certificate of an authority with an EC key.");
    }
    Authority authority = new Authority(known, PemFiles.key(key, known));
    Instant end = known.getNotAfter().toInstant();
    if (now.plus(days, ChronoUnit.DAYS).isAfter(end)) {
      throw new RaftException(
          "The authority in "
              + certificate
              + " is valid until "
              + end
              + " only: name fewer --days, or another folder for a new authority.");
    }
    return authority;
  }

  private static String quoted(Path file) {
    String text = file.toAbsolutePath().normalize().toString();
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Writes a file that must not exist; it does not if that fails. */
  private static void create(Path file, String content, String permissions) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)))) {
      ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(US_ASCII));
      try {
        while (bytes.hasRemaining()) {
          int _ = channel.write(bytes);
        }
        channel.force(true);
      } catch (IOException e) {
        Files.delete(file);
        throw e;
      }
    }
  }
}
