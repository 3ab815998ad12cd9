package org.nyala.importcheck;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreLock;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.StoredSchema;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/**
 * The check of LDIF against a configuration: an import into a folder that is deleted afterwards, so
 * that the verdicts are those of the import. It takes as long and as much disk as the import.
 *
 * <p>Confined to one running operation.
 */
public final class ImportCheck {
  /** Free space that is required for each byte of LDIF: data, and files for sorting. */
  private static final long SPACE_FACTOR = 3;

  private static final long MEBIBYTE = 1 << 20;

  private final NyalaConfig configuration;
  private final Schema files;
  private final ExtendedSchema definitions;
  private final ImportProgress progress;
  private Optional<Path> folder = Optional.empty();
  private String option = "--directory";
  private List<String> suffixes = List.of();
  private boolean refusesDuplicates;
  private Set<String> newSchemes = Set.of();

  /**
   * Prepares a check.
   *
   * @param files the schema of the configuration
   * @param definitions the same, with what clients have added
   * @param progress receives the status
   */
  public ImportCheck(
      NyalaConfig configuration,
      Schema files,
      ExtendedSchema definitions,
      ImportProgress progress) {
    this.configuration = configuration;
    this.files = files;
    this.definitions = definitions;
    this.progress = progress;
  }

  /** Prepares a check of data for a new data directory. */
  public static ImportCheck of(NyalaConfig configuration, Schema files, ImportProgress progress) {
    return new ImportCheck(configuration, files, ExtendedSchema.of(files), progress);
  }

  /**
   * Returns the definitions that clients have added. They are kept when data is replaced, because
   * imported entries may need them; definitions in data that cannot be read are lost.
   *
   * @param files the schema of the configuration
   * @param lost receives a line if they are
   */
  public static ExtendedSchema definitions(
      NyalaConfig configuration, Schema files, Consumer<String> lost) {
    if (configuration.hasData()) {
      try {
        return StoredSchema.read(configuration.data(), files, configuration.store());
      } catch (StoreException e) {
        lost.accept(
            "the definitions of the data to be replaced are lost: " + ErrorMessages.line(e));
      }
    }
    return ExtendedSchema.of(files);
  }

  /**
   * Uses another existing folder for the temporary data than that of the data directory.
   *
   * @param name the option that names it, for messages
   */
  public ImportCheck in(Optional<Path> other, String name) {
    folder = other;
    option = name;
    return this;
  }

  /** Rejects entries with values of others, as an import with the same option does. */
  public ImportCheck refusingDuplicates(boolean refuses) {
    refusesDuplicates = refuses;
    return this;
  }

  /** Reports passwords in some schemes, such as {@code SSHA512}. */
  public ImportCheck notingSchemes(Set<String> schemes) {
    newSchemes = Set.copyOf(schemes);
    return this;
  }

  /** Uses other suffixes than those of the configuration; none for those. */
  public ImportCheck suffixes(List<String> others) {
    suffixes = List.copyOf(others);
    return this;
  }

  /**
   * Tries the import of LDIF files, in their order. Neither the data directory nor a server on it
   * is touched.
   *
   * @param mistakes mistakes of the configuration that are known already, for the report
   * @throws ConfigurationException if the configuration is so wrong that no import would begin
   * @throws StoreException if a file cannot be read, the files hold no entries, or the disk has no
   *     room
   */
  public ImportReport run(List<ImportSource> sources, List<String> mistakes) throws IOException {
    Schema schema = definitions.schema();
    ImportSettings settings = settings(schema);
    Path place = place();
    AbandonedChecks.delete(place);
    requireSpace(place, sources);
    DataExamination examination =
        new DataExamination(configuration, files, definitions, refusesDuplicates)
            .notingSchemes(newSchemes);
    ImportResult result =
        new LdifImport(
                definitions,
                withMissingIndexes(settings, schema),
                progress,
                InstantSource.system(),
                System::nanoTime)
            .examinedBy(examination)
            .tryOut(sources, place.resolve(AbandonedChecks.newName()));
    if (result.entriesRead() == 0) {
      throw new StoreException("nothing would be imported: the input holds no entries");
    }
    return examination.report(mistakes, result, schema, settings.indexes());
  }

  private ImportSettings settings(Schema schema) {
    ImportSettings settings = ImportConfiguration.settings(configuration, schema);
    return suffixes.isEmpty()
        ? settings
        : settings.with(
            draft -> draft.suffixes = ImportConfiguration.suffixes("--suffix", suffixes, schema));
  }

  /** Adds the indexes that the examination needs and the configuration lacks. */
  private ImportSettings withMissingIndexes(ImportSettings settings, Schema schema) {
    List<IndexDefinition> indexes = new ArrayList<>(settings.indexes());
    for (AttributeType type : NeededIndexes.missing(configuration, schema, indexes).keySet()) {
      Set<IndexKind> kinds = EnumSet.of(IndexKind.EQUALITY);
      indexes.stream()
          .filter(index -> index.type().equals(type))
          .forEach(index -> kinds.addAll(index.kinds()));
      indexes.removeIf(index -> index.type().equals(type));
      indexes.add(new IndexDefinition(type, kinds));
    }
    return settings.with(draft -> draft.indexes = indexes);
  }

  /** Returns the folder for the temporary data: by default one on the file system of the data. */
  private Path place() {
    if (folder.isPresent()) {
      Path given = folder.get();
      if (!Files.isDirectory(given) || !Files.isWritable(given)) {
        throw CommandException.usage(
            given + " is no folder that can be written to; " + option + " names one");
      }
      return given;
    }
    Path nearest = configuration.data().toAbsolutePath().normalize().getParent();
    while (nearest != null && !Files.exists(nearest)) {
      nearest = nearest.getParent();
    }
    if (nearest == null || !Files.isDirectory(nearest) || !Files.isWritable(nearest)) {
      throw CommandException.usage(
          "the check builds the data in a temporary folder, and "
              + (nearest == null ? configuration.data() : nearest)
              + " cannot be written to; "
              + option
              + " names another folder");
    }
    return nearest;
  }

  private void requireSpace(Path place, List<ImportSource> sources) throws IOException {
    long bytes = sources.stream().mapToLong(source -> Math.max(0, source.bytes())).sum();
    long usable = place.toFile().getUsableSpace();
    if (usable / SPACE_FACTOR < bytes) {
      throw new StoreException(
          "the check builds the data in a temporary folder: "
              + place
              + " has "
              + usable / MEBIBYTE
              + " MiB free, and up to "
              + (bytes / MEBIBYTE + 1) * SPACE_FACTOR
              + " MiB are needed; "
              + option
              + " names a folder elsewhere");
    }
  }

  /**
   * The folders of checks: what a killed one has left, as large as the data, is deleted by the next
   * one in the same place. A check that goes on holds the lock of its folder. Stateless.
   */
  private static final class AbandonedChecks {
    private static final String PREFIX = "nyala-check-";
    private static final Pattern NAME =
        Pattern.compile(PREFIX + "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private AbandonedChecks() {}

    /** Returns the name of a folder for another check. */
    static String newName() {
      return PREFIX + UUID.randomUUID();
    }

    /**
     * Deletes what killed checks of the same user have left in a folder; what cannot be deleted
     * stays.
     */
    static void delete(Path place) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(place, PREFIX + "*")) {
        UserPrincipal user =
            place
                .getFileSystem()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(ProcessHandle.current().info().user().orElse(""));
        for (Path folder : found) {
          boolean isOne = NAME.matcher(folder.getFileName().toString()).matches();
          // Only its owner may replace such a folder by a link, even in one that all may write to.
          if (isOne && isOwn(folder, user) && Files.exists(folder.resolve(StoreLock.FILE_NAME))) {
            delete(place, folder, user);
          }
        }
      } catch (IOException | UnsupportedOperationException _) {
        // A folder that cannot be listed, or a user without a name, keeps them.
      }
    }

    private static boolean isOwn(Path folder, UserPrincipal user) throws IOException {
      return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
          && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(user);
    }

    private static void delete(Path place, Path folder, UserPrincipal user) {
      try (StoreLock lock = StoreLock.tryAcquire(folder)) {
        if (lock == null) {
          return;
        }
        String built = folder.getFileName() + ".importing-*";
        try (DirectoryStream<Path> found = Files.newDirectoryStream(place, built)) {
          for (Path each : found) {
            if (isOwn(each, user)) {
              deleteFolder(each);
            }
          }
        }
        deleteFolder(folder);
      } catch (IOException | StoreException _) {
        // The next check tries again.
      }
    }

    private static void deleteFolder(Path folder) throws IOException {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          Files.deleteIfExists(file);
        }
      }
      Files.deleteIfExists(folder);
    }
  }
}
