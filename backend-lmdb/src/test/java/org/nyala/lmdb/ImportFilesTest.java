package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreLock;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/** The existing files that an import replaces, leaves and protects. */
class ImportFilesTest extends ImportTestCase {
  @Test
  void shouldNeedPermissionToReplace() throws IOException {
    load(settings(), TOP);
    String before = Exported.ldif(data);
    assertThatThrownBy(() -> load(settings(), TOP))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("--replace");
    assertThat(Exported.ldif(data)).isEqualTo(before);
    load(settings().with(draft -> draft.replace = true), TOP + person("new", ""));
    assertThat(Exported.ldif(data)).contains("dn: uid=new");
    assertSound();
  }

  @Test
  void shouldRefuseADirectoryInUse() throws IOException {
    load(settings(), TOP);
    try (StoreLock lock = StoreLock.acquire(data)) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> load(settings().with(draft -> draft.replace = true), TOP))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("in use");
    }
  }

  @Test
  void shouldChangeNothingWhenNothingCanBeImported() throws IOException {
    load(settings(), TOP);
    String before = Exported.ldif(data);
    assertThatThrownBy(() -> load(settings().with(draft -> draft.replace = true), "# nothing\n"))
        .hasMessageContaining("no entries");
    assertThatThrownBy(
            () -> load(settings().with(draft -> draft.replace = true), "dn: cn=x\ncn: x\n"))
        .hasMessageContaining("line 1: the entry has no objectClass");
    assertThat(Exported.ldif(data)).isEqualTo(before);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.filter(file -> file.toString().contains(".importing-"))).isEmpty();
    }
  }

  @Test
  void shouldTakeCompressedAndPlainFilesTogether() throws IOException {
    Path top = directory.resolve("top.ldif.gz");
    try (OutputStream output = new GZIPOutputStream(Files.newOutputStream(top))) {
      output.write(TOP.getBytes(StandardCharsets.UTF_8));
    }
    Path people = directory.resolve("people");
    try (OutputStream output =
        new ZstdOutputStreamNoFinalizer(Files.newOutputStream(people)).setChecksum(true)) {
      output.write((person("a", "") + person("b", "")).getBytes(StandardCharsets.UTF_8));
    }
    Path more = directory.resolve("more.ldif");
    Files.writeString(more, person("c", ""));
    List<ImportSource> sources =
        Stream.of(top, people, more).map(ImportSource::file).collect(Collectors.toList());
    sources.add(
        ImportSource.stream(
            "standard input",
            directory,
            new ByteArrayInputStream(person("d", "").getBytes(StandardCharsets.UTF_8))));
    LdifImport load =
        new LdifImport(
            ExtendedSchema.of(SCHEMA), settings(), ImportProgress.SILENT, CLOCK, System::nanoTime);
    ImportResult result = load.run(sources, data);
    assertThat(result.entriesImported()).isEqualTo(5);
    assertThat(result.bytesRead())
        .isEqualTo(
            Files.size(top) + Files.size(people) + Files.size(more) + person("d", "").length());
    assertSound();
  }

  @Test
  void shouldChangeNothingIfACompressedFileIsCutOff() throws IOException {
    Path file = directory.resolve("people.ldif.gz");
    try (OutputStream output = new GZIPOutputStream(Files.newOutputStream(file))) {
      output.write((TOP + person("a", "").repeat(1000)).getBytes(StandardCharsets.UTF_8));
    }
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    LdifImport load =
        new LdifImport(
            ExtendedSchema.of(SCHEMA), settings(), ImportProgress.SILENT, CLOCK, System::nanoTime);
    assertThatThrownBy(() -> load.run(List.of(ImportSource.file(file)), data))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file + ": the gzip data cannot be unpacked");
    assertThat(data.resolve(LmdbEnvironment.DATA_FILE)).doesNotExist();
  }

  @Test
  void shouldNotOverwriteWhatItReadsWithWhatItRejects() throws IOException {
    Path file = directory.resolve("fixed.ldif");
    Files.writeString(file, TOP);
    Path link = Files.createSymbolicLink(directory.resolve("link.ldif"), file);
    LdifImport load =
        new LdifImport(
            ExtendedSchema.of(SCHEMA),
            settings().with(draft -> draft.rejectFile = link),
            ImportProgress.SILENT,
            CLOCK,
            System::nanoTime);
    assertThatThrownBy(() -> load.run(List.of(ImportSource.file(file)), data))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("name another file for the rejected records");
    assertThat(file).hasContent(TOP);
  }

  @Test
  void shouldWriteRejectsToADeviceInsteadOfReplacingIt() throws IOException {
    Path device = Files.createSymbolicLink(directory.resolve("device"), Path.of("/dev/null"));
    load(
        settings().with(draft -> draft.rejectFile = device),
        TOP,
        person("a", "noSuchAttribute: 1\n"));
    assertThat(device).isSymbolicLink();
  }

  @Test
  void shouldKeepWhatItWritesFromOtherUsers() throws IOException {
    Path rejects = directory.resolve("rejects.ldif");
    load(
        settings().with(draft -> draft.rejectFile = rejects),
        TOP,
        person("a", "noSuchAttribute: 1\n"));
    for (Path file : List.of(rejects, data.resolve(LmdbEnvironment.DATA_FILE))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .as(file.toString())
          .isEqualTo("rw-------");
    }
  }

  @Test
  void shouldDeleteLeftoversButNothingBehindALink() throws IOException {
    Path precious = Files.createDirectory(directory.resolve("precious"));
    Files.writeString(precious.resolve("file"), "kept");
    Files.createSymbolicLink(directory.resolve("data.importing-1"), precious);
    Path leftover = Files.createDirectory(directory.resolve("data.importing-2"));
    Files.writeString(leftover.resolve("names.tmp"), "left");
    load(settings(), TOP);
    assertThat(precious.resolve("file")).hasContent("kept");
    assertThat(leftover).doesNotExist();
  }
}
