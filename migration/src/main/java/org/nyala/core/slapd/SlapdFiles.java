package org.nyala.core.slapd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Source;
import org.nyala.core.ldif.LdifChunk;
import org.nyala.core.ldif.LdifChunkReader;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.ldif.LdifParser;
import org.nyala.core.ldif.LdifRecord;

/** Finds out in which of its forms a configuration of slapd is, and reads it. */
final class SlapdFiles {
  private SlapdFiles() {}

  /** Reads slapd.conf, an LDIF of {@code cn=config}, or a folder such as slapd.d. */
  static SlapdConfiguration read(Path path) throws IOException, InvalidSlapdFileException {
    Source start = new Source(SlapdConfiguration.nameOf(path), 1, 1);
    SlapdConfiguration configuration = new SlapdConfiguration(start);
    if (Files.isDirectory(path)) {
      new ConfigReader(configuration).readFolder(path);
    } else if (isLdif(text(path, start))) {
      new ConfigReader(configuration).readFile(path);
    } else {
      new ConfReader(configuration, path).read();
    }
    return configuration;
  }

  /* No directive of slapd.conf has such a name. */
  private static boolean isLdif(String text) {
    for (LogicalLine line : LogicalLine.of(text)) {
      if (!line.isComment() && !line.isBlank()) {
        return line.text().startsWith("dn:") || line.text().startsWith("version:");
      }
    }
    return false;
  }

  /** Returns the content of a file; what is not UTF-8 is shown as such. */
  static String text(Path file, Source source) throws IOException, InvalidSlapdFileException {
    try (InputStream stream = Files.newInputStream(file)) {
      byte[] bytes = stream.readNBytes(SlapdConfiguration.MAXIMUM_BYTES + 1);
      if (bytes.length > SlapdConfiguration.MAXIMUM_BYTES) {
        throw new InvalidSlapdFileException(
            source, "a file of more than " + SlapdConfiguration.MAXIMUM_BYTES + " bytes");
      }
      return new String(bytes, UTF_8);
    }
  }

  /**
   * Returns the file that another names. slapd sees a relative name from its working directory,
   * wherever the file is that has it; the folder of the configuration stands for that, then those
   * of the naming file and of this process.
   *
   * @param top the configuration
   * @param from the file that names the other
   */
  static Path resolve(Path top, Path from, String named, Source source)
      throws InvalidSlapdFileException {
    try {
      Path file = Path.of(named);
      Path first = top.toAbsolutePath().resolveSibling(file);
      Path beside = from.toAbsolutePath().resolveSibling(file);
      return Stream.of(first, beside, file.toAbsolutePath())
          .filter(Files::exists)
          .findFirst()
          .orElse(first);
    } catch (InvalidPathException e) {
      throw new InvalidSlapdFileException(source, "'" + named + "' names no file");
    }
  }

  /**
   * Reads slapd.conf and the files that it includes.
   *
   * <p>Confined to one thread.
   */
  private static final class ConfReader {
    private static final int MAXIMUM_DEPTH = 16;
    private static final int MAXIMUM_FILES = 1_000;

    /** The number of lines of comments beyond which a directive has only the last ones. */
    private static final int MAXIMUM_COMMENTS = 10_000;

    /**
     * A comment that may have a password, such as a directive that was taken out: comments are
     * shown beside what follows them, to people who may not read slapd.conf.
     */
    private static final Pattern SECRET =
        Pattern.compile(
            "(?i)rootpw|bindpw|credentials|\\{[a-z][a-z0-9-]*}\\S"
                + "|(passw(or[dt]|d)|passphrase|secret|(?<![a-z])(pw|pwd|pass))\\s*([:=]|(is|ist)\\b)");

    private static final char UNREADABLE = '\ufffd';

    private final SlapdConfiguration configuration;
    private final List<String> comments = new ArrayList<>();
    private SlapdDatabase current;
    private final Path top;
    private @Nullable SlapdSection overlay;
    private int files;

    /**
     * Prepares for a configuration.
     *
     * @param top its file
     */
    ConfReader(SlapdConfiguration configuration, Path top) {
      this.configuration = configuration;
      this.top = top;
      this.current = configuration.global();
    }

    /**
     * Reads the file.
     *
     * @throws InvalidSlapdFileException if there is too much of something, or a directive is not
     *     UTF-8
     */
    void read() throws IOException, InvalidSlapdFileException {
      read(top, new Source(SlapdConfiguration.nameOf(top), 1, 1), 0);
    }

    private void read(Path file, Source from, int depth)
        throws IOException, InvalidSlapdFileException {
      if (depth > MAXIMUM_DEPTH || ++files > MAXIMUM_FILES) {
        throw new InvalidSlapdFileException(from, "too many files that include each other");
      }
      String text = SlapdFiles.text(file, from);
      configuration.take(text.length(), from);
      String name = SlapdConfiguration.nameOf(file);
      for (LogicalLine line : LogicalLine.of(text)) {
        if (line.isComment()) {
          comment(line);
        } else if (!line.isBlank()) {
          directive(file, new Source(name, line.number(), 1), line, depth);
          comments.clear();
        }
      }
    }

    private void comment(LogicalLine line) {
      if (comments.size() > MAXIMUM_COMMENTS) {
        comments.clear();
      }
      if (!SECRET.matcher(line.text()).find()) {
        comments.addAll(line.lines());
      }
    }

    private void directive(Path file, Source source, LogicalLine line, int depth)
        throws IOException, InvalidSlapdFileException {
      List<String> words = SlapdWords.of(line.text());
      String name = words.isEmpty() ? "" : DirectiveNames.ofDirective(words.getFirst());
      List<String> after = words.isEmpty() ? words : words.subList(1, words.size());
      SlapdDirective directive =
          new SlapdDirective(
              source, comments, line.lines(), name, after, after.isEmpty() ? "" : after.getFirst());
      switch (name) {
        case "" -> {
          // A line of quotes and blanks.
        }
        case "database" -> {
          current = configuration.begin(first(directive, line), source);
          overlay = null;
        }
        case "overlay" ->
            overlay = configuration.beginOverlay(current, first(directive, line), source);
        case "include" -> include(file, directive, line, depth);
        default -> add(file, directive, line);
      }
    }

    private void add(Path file, SlapdDirective directive, LogicalLine line)
        throws InvalidSlapdFileException {
      if (SlapdConfiguration.isDefinition(directive.name())) {
        configuration.define(partOf(file), directive);
        return;
      }
      requireReadable(directive.source(), line);
      if (directive.name().equals("suffix")) {
        first(directive, line);
      }
      SlapdSection section = current;
      if (DirectiveNames.isOfServer(directive.name())) {
        section = configuration.global();
      } else if (overlay != null && DirectiveNames.isOfOverlay(overlay.kind(), directive.name())) {
        section = overlay;
      }
      configuration.add(section, directive);
    }

    /* The name of the file without its end. */
    private static String partOf(Path file) {
      String name = SlapdConfiguration.nameOf(file);
      int dot = name.lastIndexOf('.');
      return dot > 0 ? name.substring(0, dot) : name;
    }

    private static void requireReadable(Source source, LogicalLine line)
        throws InvalidSlapdFileException {
      if (line.text().indexOf(UNREADABLE) >= 0) {
        throw new InvalidSlapdFileException(source, "a directive that is not UTF-8");
      }
    }

    private static String first(SlapdDirective directive, LogicalLine line)
        throws InvalidSlapdFileException {
      requireReadable(directive.source(), line);
      if (directive.words().isEmpty()) {
        throw new InvalidSlapdFileException(
            directive.source(), "'" + line.text() + "' without a value");
      }
      return directive.words().getFirst();
    }

    /* Without its schema files, a configuration can be read on another machine. */
    private void include(Path file, SlapdDirective directive, LogicalLine line, int depth)
        throws IOException, InvalidSlapdFileException {
      String named = first(directive, line);
      Path included = SlapdFiles.resolve(top, file, named, directive.source());
      if (!Path.of(named).isAbsolute() && Files.exists(included)) {
        configuration.find(directive, included);
      }
      if (Files.exists(included) || !named.endsWith(".schema")) {
        comments.clear();
        read(included, directive.source(), depth + 1);
      } else {
        configuration.miss(directive);
      }
    }
  }

  /**
   * Reads {@code cn=config}: the LDIF that {@code slapcat -n0} writes, or the folder in which slapd
   * keeps it. Comments of LDIF are not kept: slapd has written them.
   *
   * <p>Confined to one thread.
   */
  private static final class ConfigReader {
    private static final int CHUNK_BYTES = 1 << 16;
    private static final int MAXIMUM_FILES = 10_000;
    private static final LdifLimits LIMITS =
        new LdifLimits(SlapdConfiguration.MAXIMUM_BYTES, 0, 100_000);

    /** The place in an order that slapd writes before a value. */
    private static final Pattern ORDER = Pattern.compile("\\{(-?[0-9]{1,9})}(.*)", Pattern.DOTALL);

    /** The number of a place in an order that the name of a file has. */
    private static final Pattern NUMBER = Pattern.compile("(?<=\\{)[0-9]{1,9}(?=})");

    /** The comma between two names that nothing escapes. */
    private static final Pattern NAMES = Pattern.compile("(?<!\\\\),");

    /** The attributes that say what a section is. */
    private static final Set<String> KINDS = Set.of("olcdatabase", "olcoverlay");

    private static final String TOP = "cn=config";
    private static final String SCHEMA = "cn=schema";
    private static final String OVERLAY = "olcoverlay=";

    private final SlapdConfiguration configuration;
    private final Map<List<String>, SlapdDatabase> databases = new HashMap<>();

    /** A value with its place in slapd's order. */
    private record Value(int order, String text, Source source, String name) {
      String attribute() {
        return name.toLowerCase(Locale.ROOT);
      }
    }

    /** An entry: its place, and its names from the top down. */
    private record Place(String file, long line, List<String> names) {
      Source source() {
        return new Source(file, (int) line, 1);
      }
    }

    ConfigReader(SlapdConfiguration configuration) {
      this.configuration = configuration;
    }

    /**
     * Reads the files of a folder and of those in it.
     *
     * @throws InvalidSlapdFileException if none of them has a database
     */
    void readFolder(Path folder) throws IOException, InvalidSlapdFileException {
      List<Path> files;
      try (Stream<Path> all = Files.walk(folder)) {
        files =
            all.filter(file -> file.toString().endsWith(".ldif"))
                .filter(Files::isRegularFile)
                .limit(MAXIMUM_FILES + 1L)
                .sorted(Comparator.comparing(ConfigReader::inOrder))
                .toList();
      }
      Source source = new Source(SlapdConfiguration.nameOf(folder), 1, 1);
      if (files.isEmpty() || files.size() > MAXIMUM_FILES) {
        throw new InvalidSlapdFileException(
            source, files.size() + " files of LDIF, expected 1 to " + MAXIMUM_FILES);
      }
      for (Path file : files) {
        List<String> above = new ArrayList<>();
        Path parent = folder.relativize(file).getParent();
        for (Path each : parent == null ? List.<Path>of() : parent) {
          above.add(each.toString().toLowerCase(Locale.ROOT));
        }
        readFile(file, above);
      }
    }

    /** Returns a path whose order is that of the numbers in it: {2} before {10}. */
    private static Path inOrder(Path file) {
      return Path.of(
          NUMBER
              .matcher(file.toString())
              .replaceAll(found -> "0".repeat(9 - found.end() + found.start()) + found.group()));
    }

    /** Reads a file of LDIF. */
    void readFile(Path file) throws IOException, InvalidSlapdFileException {
      readFile(file, List.of());
    }

    /* In a folder, files have their names relative to the folder that they are in. */
    private void readFile(Path file, List<String> above)
        throws IOException, InvalidSlapdFileException {
      configuration.take(Files.size(file), new Source(SlapdConfiguration.nameOf(file), 1, 1));
      Path folder = file.toAbsolutePath().getParent();
      LdifParser parser = new LdifParser(LIMITS, folder == null ? Path.of("/") : folder);
      LdifChunk chunk = new LdifChunk(CHUNK_BYTES);
      LdifRecord record = new LdifRecord();
      try (LdifChunkReader reader = new LdifChunkReader(Files.newInputStream(file), LIMITS)) {
        while (reader.next(chunk)) {
          parser.start(chunk);
          while (parser.next(record)) {
            record(SlapdConfiguration.nameOf(file), above, record);
          }
        }
      }
    }

    private void record(String file, List<String> above, LdifRecord record)
        throws InvalidSlapdFileException {
      String error = record.error();
      if (error != null) {
        throw new InvalidSlapdFileException(new Source(file, (int) record.errorLine(), 1), error);
      }
      List<Value> values = new ArrayList<>();
      for (int i = 0; i < record.size(); i++) {
        Value value = value(file, record, i);
        if (DirectiveNames.isDirective(value.attribute())) {
          values.add(value);
        }
      }
      // Relative to their order among those of one attribute; databases have one value each.
      values.sort(Comparator.comparingInt(Value::order));
      add(new Place(file, record.line(), names(above, record)), values);
    }

    /* From the top down, in small letters. */
    private static List<String> names(List<String> above, LdifRecord record) {
      List<String> own =
          Arrays.stream(NAMES.split(new String(record.dnBytes(), UTF_8)))
              .map(name -> name.strip().toLowerCase(Locale.ROOT))
              .toList()
              .reversed();
      List<String> all = new ArrayList<>();
      if (!own.getFirst().equals(TOP)) {
        all.addAll(above);
      }
      all.addAll(own);
      return all;
    }

    private void add(Place place, List<Value> values) throws InvalidSlapdFileException {
      List<String> names = place.names();
      String leaf = names.getLast();
      List<String> above = names.subList(0, names.size() - 1);
      if (above.stream().anyMatch(name -> name.startsWith(OVERLAY))) {
        return; // A database of an overlay, such as those of chain.
      }
      if (!above.isEmpty() && above.getLast().equals(SCHEMA)) {
        define(leaf, values);
      } else if (!leaf.equals(SCHEMA)) {
        SlapdSection section = section(place, leaf, above, values);
        for (Value value : values) {
          if (!KINDS.contains(value.attribute())) {
            configuration.add(section, directive(value));
          }
        }
      }
    }

    private SlapdSection section(Place place, String leaf, List<String> above, List<Value> values)
        throws InvalidSlapdFileException {
      if (leaf.startsWith(OVERLAY)) {
        SlapdDatabase database = databases.getOrDefault(above, configuration.global());
        return configuration.beginOverlay(database, kind(leaf), place.source());
      }
      for (Value value : values) {
        if (value.attribute().equals("olcdatabase")) {
          SlapdDatabase database = configuration.begin(value.text(), value.source());
          databases.put(place.names(), database);
          return database;
        }
      }
      return configuration.global();
    }

    /** Returns what stands behind the attribute and the order in a name: {@code memberof}. */
    private static String kind(String name) {
      String value = name.substring(name.indexOf('=') + 1);
      Matcher ordered = ORDER.matcher(value);
      return ordered.matches() ? ordered.group(2) : value;
    }

    private void define(String leaf, List<Value> values) throws InvalidSlapdFileException {
      for (Value value : values) {
        SlapdDirective directive = directive(value);
        if (SlapdConfiguration.isDefinition(directive.name())) {
          configuration.define(kind(leaf), directive);
        }
      }
    }

    private static Value value(String file, LdifRecord record, int index) {
      String attribute =
          new String(
              record.nameBytes(index), record.nameStart(index), record.nameLength(index), UTF_8);
      String text =
          new String(
              record.valueBytes(index), record.valueStart(index), record.valueLength(index), UTF_8);
      Source source = new Source(file, (int) record.line(index), 1);
      Matcher ordered = ORDER.matcher(text);
      boolean isOrdered = ordered.matches();
      return new Value(
          isOrdered ? Integer.parseInt(ordered.group(1)) : 0,
          isOrdered ? ordered.group(2) : text,
          source,
          attribute);
    }

    private static SlapdDirective directive(Value value) {
      return new SlapdDirective(
          value.source(),
          List.of(),
          (value.name() + ": " + value.text()).lines().toList(),
          DirectiveNames.ofAttribute(value.name()),
          SlapdWords.of(value.text()),
          value.text());
    }
  }
}
