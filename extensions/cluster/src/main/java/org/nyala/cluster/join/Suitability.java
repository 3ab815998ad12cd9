package org.nyala.cluster.join;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.batch.BatchForm;
import org.nyala.core.bytes.ByteDigest;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.extension.Extension;

/**
 * The properties of a server that all members of a cluster must have in common, for what one of
 * them writes is what all have. Immutable.
 *
 * @param entryForm the version of the form of the log's entries
 * @param storeFormat the format of the store
 * @param serverId the number of the servers in change sequence numbers
 * @param schema a digest of the definitions of the schema's files, in hexadecimal digits
 * @param namingContexts the names of the naming contexts, in order
 * @param extensions the names of the extensions, in order, each with a space and its version if it
 *     has one of its own
 */
public record Suitability(
    int entryForm,
    String storeFormat,
    int serverId,
    String schema,
    List<String> namingContexts,
    List<String> extensions) {
  /** The most bytes of the form on the wire: names of some thousand naming contexts. */
  static final int MOST_BYTES = 1 << 20;

  private static final int MOST_NAMES = 10_000;

  /** The characters of a version that are compared: it is a text for people. */
  private static final int MOST_VERSION_CHARACTERS = 200;

  /** Takes the lists as they are now. */
  public Suitability {
    namingContexts = List.copyOf(namingContexts);
    extensions = List.copyOf(extensions);
  }

  /** Returns what a server has. */
  public static Suitability of(ReplicatedBackend store, OperationContext directory) {
    return new Suitability(
        BatchForm.VERSION,
        store.transfer().format(),
        directory.updating().serverId(),
        digest(store.definitions().base()),
        store.namingContexts().stream()
            .map(name -> name.toString().toLowerCase(Locale.ROOT))
            .sorted()
            .toList(),
        directory.extensions().all().stream().map(Suitability::named).sorted().toList());
  }

  private static String named(Extension extension) {
    String version = extension.version();
    String told = version.substring(0, Math.min(version.length(), MOST_VERSION_CHARACTERS));
    return told.isEmpty() ? extension.name() : extension.name() + ' ' + told;
  }

  private static String digest(Schema schema) {
    MessageDigest digest = ByteDigest.of("SHA-256");
    for (DefinitionKind kind : DefinitionKind.values()) {
      for (String oid : new TreeSet<>(kind.oids(schema))) {
        digest.update((kind.describe(schema, oid) + '\n').getBytes(UTF_8));
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Returns why a server that has these properties cannot be a member beside one that has others,
   * as the part of a sentence after "for"; null if it can.
   */
  @Nullable String differenceFrom(Suitability member) {
    if (entryForm != member.entryForm) {
      return "it writes entries of form "
          + entryForm
          + ", and the cluster those of form "
          + member.entryForm
          + ": all members need the same version of Nyala";
    }
    if (!storeFormat.equals(member.storeFormat)) {
      return "its store has the format "
          + storeFormat
          + ", and those of the members the format "
          + member.storeFormat
          + ": all members need the same version of Nyala";
    }
    if (serverId != member.serverId) {
      return "its serverId is " + serverId + ", and that of the members is " + member.serverId;
    }
    if (!namingContexts.equals(member.namingContexts)) {
      return "its naming contexts are "
          + namingContexts
          + ", and those of the members are "
          + member.namingContexts;
    }
    if (!schema.equals(member.schema)) {
      return "the definitions of its schema files are not those of the members: the digests are "
          + schema.substring(0, 16)
          + " and "
          + member.schema.substring(0, 16);
    }
    return extensions.equals(member.extensions) ? null : differentExtensions(member.extensions);
  }

  /** Names an extension that both have in other versions; else all of both. */
  private String differentExtensions(List<String> others) {
    for (String own : extensions) {
      for (String other : others) {
        if (!own.equals(other) && name(own).equals(name(other))) {
          return "its extension "
              + name(own)
              + " has the version '"
              + version(own)
              + "', and that of the members the version '"
              + version(other)
              + "'";
        }
      }
    }
    return "its extensions are " + extensions + ", and those of the members are " + others;
  }

  private static String name(String extension) {
    int end = extension.indexOf(' ');
    return end < 0 ? extension : extension.substring(0, end);
  }

  private static String version(String extension) {
    int end = extension.indexOf(' ');
    return end < 0 ? "" : extension.substring(end + 1);
  }

  /** Returns the form on the wire. */
  byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(entryForm);
      out.writeUTF(storeFormat);
      out.writeInt(serverId);
      out.writeUTF(schema);
      write(out, namingContexts);
      write(out, extensions);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, List<String> names) throws IOException {
    out.writeInt(names.size());
    for (String name : names) {
      out.writeUTF(name);
    }
  }

  /**
   * Reads the form on the wire.
   *
   * @throws IOException if it is none
   */
  static Suitability read(ByteBuffer bytes) throws IOException {
    if (bytes.remaining() > MOST_BYTES) {
      throw new IOException("the properties of a server take " + bytes.remaining() + " bytes");
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(copy))) {
      Suitability read =
          new Suitability(
              in.readInt(), in.readUTF(), in.readInt(), in.readUTF(), names(in), names(in));
      if (read.schema.length() != 64 || in.read() >= 0) {
        throw new IOException("the properties of a server are not well-formed");
      }
      return read;
    }
  }

  private static List<String> names(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST_NAMES) {
      throw new IOException("a server has " + count + " names of a kind");
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(in.readUTF());
    }
    return names;
  }
}
