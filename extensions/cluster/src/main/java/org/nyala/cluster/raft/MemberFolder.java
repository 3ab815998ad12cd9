package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.util.ProtoUtils;
import org.apache.ratis.util.SizeInBytes;
import org.nyala.cluster.LogPosition;

/**
 * The folder of a member's log: who it is, and what its votes and entries are. Immutable; the files
 * are not.
 *
 * <p>Layout: {@code member.properties} with the ids; {@code log/CLUSTER/current} as Ratis writes
 * it, with {@code raft-meta} (term and vote), {@code raft-meta.conf} (members) and {@code log_*}.
 * Whoever loses the folder, or has it from an older copy, has forgotten votes and entries that it
 * had acknowledged: it joins anew, with a new id.
 */
final class MemberFolder {
  private static final String IDENTITY = "member.properties";
  private static final String FORMAT = "1";
  private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
  private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");

  private final Path root;
  private final UUID member;
  private final UUID cluster;
  private final boolean isFounder;

  /** The first and the last index of a log; the last is below the first if it is empty. */
  record Extent(long first, long last) {}

  private MemberFolder(Path root, UUID member, UUID cluster, boolean isFounder) {
    this.root = root;
    this.member = member;
    this.cluster = cluster;
    this.isFounder = isFounder;
  }

  /**
   * Creates the folder of a new member, without entries.
   *
   * @param from the place of its state; the term goes on from there
   * @param isFounder whether it is the first member of the cluster
   */
  static MemberFolder create(Path root, UUID cluster, LogPosition from, boolean isFounder)
      throws IOException {
    if (Files.exists(root.resolve(IDENTITY))) {
      throw new RaftException(
          "The folder "
              + root
              + " belongs to a member of a cluster already; remove it to begin"
              + " anew.");
    }
    MemberFolder folder = new MemberFolder(root, UUID.randomUUID(), cluster, isFounder);
    if (Files.exists(folder.current())) {
      throw new RaftException(
          "The folder " + root + " holds a log without " + IDENTITY + "; remove it to begin anew.");
    }
    Files.createDirectories(folder.current());
    write(folder.meta(), "term=" + Math.max(0, from.term()) + "\nvotedFor=\n");
    write(
        root.resolve(IDENTITY),
        "format="
            + FORMAT
            + "\nmember="
            + folder.member
            + "\ncluster="
            + cluster
            + "\nfounder="
            + isFounder
            + "\n");
    return folder;
  }

  /** Returns whether a folder is that of a member. */
  static boolean exists(Path root) {
    return Files.exists(root.resolve(IDENTITY));
  }

  /** Opens the folder of a member that was created before. */
  static MemberFolder open(Path root) throws IOException {
    Path file = root.resolve(IDENTITY);
    if (!Files.exists(file)) {
      throw new RaftException(
          "The folder "
              + root
              + " has no "
              + IDENTITY
              + ": a member that has lost its log has"
              + " forgotten its votes, and joins the cluster as a new member.");
    }
    Properties values = read(file);
    String format = values.getProperty("format", "");
    if (!format.equals(FORMAT)) {
      throw new RaftException(
          "The file " + file + " has the format " + FORMAT + ", not \"" + format + "\".");
    }
    try {
      return new MemberFolder(
          root,
          UUID.fromString(values.getProperty("member", "")),
          UUID.fromString(values.getProperty("cluster", "")),
          Boolean.parseBoolean(values.getProperty("founder")));
    } catch (IllegalArgumentException e) {
      throw new RaftException(
          "The file " + file + " names no member and cluster: restore it, or join anew.", e);
    }
  }

  Path root() {
    return root;
  }

  UUID member() {
    return member;
  }

  UUID cluster() {
    return cluster;
  }

  boolean isFounder() {
    return isFounder;
  }

  /** Returns the folder of Ratis with the files of the log. */
  Path current() {
    return root.resolve("log").resolve(cluster.toString()).resolve("current");
  }

  private Path meta() {
    return current().resolve("raft-meta");
  }

  /**
   * Refuses a folder whose votes are lost or older than the state: it could vote twice in a term.
   */
  void checkVotes(LogPosition applied) throws IOException {
    Path file = meta();
    long term;
    try {
      Properties values = read(file);
      if (values.getProperty("votedFor") == null) {
        throw new NumberFormatException();
      }
      term = Long.parseLong(values.getProperty("term", ""));
    } catch (IOException | NumberFormatException e) {
      throw new RaftException(
          "The file "
              + file
              + " holds no term and vote: the member has forgotten its votes, and"
              + " joins the cluster as a new member.",
          e);
    }
    if (term < applied.term()) {
      throw new RaftException(
          "The file "
              + file
              + " is of term "
              + term
              + ", and the state of term "
              + applied.term()
              + ": the folder is an older copy, whose member has forgotten its votes, and joins the"
              + " cluster as a new member.");
    }
  }

  /**
   * Refuses another address than that by which the members reach this one: they would go on at the
   * former one, and never find it.
   *
   * @param address the host and the port of the configuration
   */
  void checkAddress(String address) throws RaftException {
    for (MemberAddress known : members()) {
      if (known.id().equals(member) && !known.authority().equals(address)) {
        throw new RaftException(
            "The other members reach this one at "
                + known.authority()
                + ", and its configuration has "
                + address
                + ": put the former address back, or remove the member and have it join anew.");
      }
    }
  }

  /** Returns the other members as this one has last heard of them; none if it has not. */
  List<MemberAddress> others() throws RaftException {
    return members().stream().filter(each -> !each.id().equals(member)).toList();
  }

  private List<MemberAddress> members() throws RaftException {
    Path file = current().resolve("raft-meta.conf");
    if (!Files.exists(file)) {
      return List.of();
    }
    try (InputStream in = Files.newInputStream(file)) {
      return LogEntryProto.parseFrom(in).getConfigurationEntry().getPeersList().stream()
          .map(peer -> MemberAddress.of(ProtoUtils.toRaftPeer(peer)))
          .toList();
    } catch (IOException | IllegalArgumentException e) {
      throw new RaftException(
          "The file " + file + " holds no members: the member joins the cluster as a new member.",
          e);
    }
  }

  /**
   * Drops the entries if they end before the state: the state has them all.
   *
   * <p>Ratis would start with such a log and refuse every append for a gap (RATIS-2507 drops whole
   * files only), and would compare its last entry in votes, so that a member with less could lead.
   *
   * @return whether entries were dropped
   */
  boolean dropShortLog(LogPosition applied) throws IOException {
    Extent extent = extent();
    if (extent.last < extent.first) {
      return false;
    }
    if (extent.first > applied.index() + 1) {
      throw new RaftException(
          "The log in "
              + root
              + " begins at entry "
              + extent.first
              + ", and the state ends at "
              + applied.index()
              + ": entries between are missing, and the member joins the cluster"
              + " as a new member.");
    }
    if (extent.last >= applied.index()) {
      return false;
    }
    for (Path segment : segments()) {
      Files.delete(segment);
    }
    syncFolder(current());
    return true;
  }

  /** Returns what the log holds; the folder must not be in use. */
  Extent extent() throws IOException {
    long first = Long.MAX_VALUE;
    long last = -1;
    for (Path segment : segments()) {
      String name = segment.getFileName().toString();
      Matcher closed = CLOSED.matcher(name);
      Matcher open = OPEN.matcher(name);
      if (closed.matches()) {
        first = Math.min(first, Long.parseLong(closed.group(1)));
        last = Math.max(last, Long.parseLong(closed.group(2)));
      } else if (open.matches()) {
        long[] end = {-1};
        if (Files.size(segment) > 0) {
          readOpen(segment, end);
        }
        if (end[0] >= 0) {
          first = Math.min(first, Long.parseLong(open.group(1)));
          last = Math.max(last, end[0]);
        }
      }
    }
    return last < 0 ? new Extent(0, -1) : new Extent(first, last);
  }

  private void readOpen(Path segment, long[] end) throws IOException {
    LogSegmentPath path = LogSegmentPath.matchLogSegment(segment);
    if (path == null) {
      return;
    }
    try {
      LogSegment.readSegmentFile(
          segment.toFile(),
          path.getStartEnd(),
          SizeInBytes.valueOf("64MB"),
          CorruptionPolicy.EXCEPTION,
          null,
          entry -> end[0] = entry.getIndex());
    } catch (IOException | IllegalStateException e) {
      throw new RaftException(
          "The file "
              + segment
              + " of the log is damaged after entry "
              + end[0]
              + ", and the member may have acknowledged what was there: delete the folder "
              + root
              + ", start, and have it join again by nyala cluster join HOST:PORT --replace"
              + " --instead-of "
              + member
              + ".",
          e);
    }
  }

  /** Returns the bytes of all files of the log. */
  long logBytes() {
    long bytes = 0;
    try {
      for (Path segment : segments()) {
        bytes += Files.size(segment);
      }
    } catch (IOException e) {
      return bytes; // a file was dropped meanwhile: the next look sees the rest
    }
    return bytes;
  }

  private List<Path> segments() throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.exists(current())) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(current(), "log_*")) {
        files.forEach(found::add);
      }
    }
    return found;
  }

  private static Properties read(Path file) throws IOException {
    Properties values = new Properties();
    try (BufferedReader in = Files.newBufferedReader(file, UTF_8)) {
      values.load(in);
    } catch (IllegalArgumentException e) {
      throw new IOException(e);
    }
    return values;
  }

  /** Writes a small file so that it is there whole, or not at all. */
  private static void write(Path file, String text) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(beside, text, UTF_8);
    try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    syncFolder(file.resolveSibling(""));
  }

  private static void syncFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
