package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ldif.LdifName;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.rejection.RejectionCauses;
import org.nyala.lmdb.rejection.UndefinedName;
import org.nyala.lmdb.rejection.UndefinedNames;

/**
 * The records that an import could not accept: an LDIF that can be corrected and imported, with the
 * reason before each record.
 *
 * <p>Confined to one running operation. The file appears with the first rejected record.
 */
final class ImportRejects implements AutoCloseable {
  private static final int SHOWN = 20;

  private final @Nullable Path file;
  private final boolean namesFiles;
  private final List<String> first = new ArrayList<>();
  private final LdifName names = new LdifName();
  private final RejectionCauses causes = new RejectionCauses();
  private final UndefinedNames undefined = new UndefinedNames();
  private @Nullable LdifWriter writer;
  private long count;

  /**
   * Starts with nothing rejected.
   *
   * @param file the file to write to; null for none
   * @param namesFiles true if reasons name the file of the line
   */
  ImportRejects(@Nullable Path file, boolean namesFiles) throws IOException {
    this.file = file;
    this.namesFiles = namesFiles;
    // A file that is not regular, such as /dev/null, is written to as it is.
    if (file != null && Files.isRegularFile(file)) {
      try {
        Files.delete(file);
      } catch (IOException e) {
        throw FileFailures.during("delete the former file of rejected records,", file, e);
      }
    }
  }

  void add(ImportBatch batch, ImportBatch.Row row, String reason) throws IOException {
    add(batch.file, row, reason, batch.chunk.isOversized() ? null : batch.chunk.bytes());
  }

  /**
   * Adds a record that is not imported.
   *
   * @param source holds the record at the row's offsets; null if it is not to be repeated
   */
  void add(String inFile, ImportBatch.Row row, String reason, byte @Nullable [] source)
      throws IOException {
    count++;
    String text = "line " + row.line + (namesFiles ? " of " + inFile : "") + ": " + reason;
    if (first.size() < SHOWN) {
      first.add(text);
    }
    causes.add(reason, () -> entry(inFile, row, source));
    undefined.add(row.undefined, () -> entry(inFile, row, source));
    LdifWriter open = writer();
    if (open == null) {
      return;
    }
    open.comment(text);
    if (source == null) {
      open.comment("the record is not repeated here");
    } else {
      open.raw(source, row.sourceStart, row.sourceEnd - row.sourceStart);
    }
    open.end();
  }

  private String entry(String inFile, ImportBatch.Row row, byte @Nullable [] source) {
    byte[] dn = source == null ? null : names.of(source, row.sourceStart, row.sourceEnd);
    String line = "line " + row.line + (namesFiles ? " of " + inFile : "");
    return dn == null ? line : LdifName.shown(dn) + " (" + line + ")";
  }

  private @Nullable LdifWriter writer() throws IOException {
    if (writer == null && file != null) {
      writer = new LdifWriter(create(file), LdifWriter.NO_FOLDING);
    }
    return writer;
  }

  /** Rejected records contain passwords like others: if files have owners, only they may read. */
  private static OutputStream create(Path file) throws IOException {
    try {
      return open(file);
    } catch (IOException e) {
      throw FileFailures.during("write rejected records to", file, e);
    }
  }

  private static OutputStream open(Path file) throws IOException {
    boolean hasOwners = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (hasOwners && !Files.exists(file)) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    return Files.newOutputStream(file);
  }

  /** Returns the number of rejected records. */
  long count() {
    return count;
  }

  /** Returns the first reasons. */
  List<String> first() {
    return first;
  }

  /** Returns a line for each cause of rejections, the most frequent first. */
  List<String> causes() {
    return causes.lines();
  }

  /** Returns the names that rejected records use and that nothing defines. */
  List<UndefinedName> undefined() {
    return undefined.list();
  }

  @Override
  public void close() throws IOException {
    if (writer != null) {
      writer.close();
    }
  }
}
