package org.nyala.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the sentences of the program with the list of those that somebody has read. All strings
 * of at least two words count that a class has, in its code or its annotations, whatever becomes of
 * them: log lines, results, errors, output, alarms, help, metrics.
 */
class MessagesTest {
  private static final Path READ = Path.of("src/test/resources/messages.txt");
  private static final Path FOUND = Path.of("target/messages.txt");

  /** The place of a variable part in the text of a concatenation. */
  private static final String VARIABLE = "\1";

  private static final String ROOT = "org/nyala/";

  /** Two words, one of which may be variable, and one of three letters at least. */
  private static final Pattern SENTENCE =
      Pattern.compile("(?s)(?=.*[A-Za-z]{3}).*(\\S +[A-Za-z%(\1]|[a-z]{2} $|^ [a-z]{2}).*");

  /** The folder of the scripts, and the program of the load tester's report. */
  private static final Path SCRIPTS = Path.of("src/packaging/bin");

  private static final Path REPORT =
      Path.of("../loadtest/src/main/resources/org/nyala/loadtest/format/report.js");

  /** Texts in quotes that are joined by a plus sign. */
  private static final Pattern QUOTED =
      Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"(?:\\s*\\+\\s*\"(?:[^\"\\\\\n]|\\\\.)*\")*");

  /** The most words between full stops, and between these, semicolons and colons. */
  private static final int MOST_WORDS = 35;

  private static final int MOST_WORDS_AT_A_TIME = 25;

  /** Words without which a text is a list of names. */
  private static final Pattern CONNECTION = Pattern.compile("(?i)\\b(the|an?|is|are|of|to|or)\\b");

  private static final String RENEWAL =
      "There are sentences that nobody has read, or that are gone. Read the new ones as somebody"
          + " who does not know this program: plain English, one fact, at most 25 words, no class"
          + " of Java. Then renew the list: cp distribution/"
          + FOUND
          + " distribution/"
          + READ;

  /** Returns the sentences of each package; those of annotations by themselves. */
  private static List<String> sentences(List<ClassModel> classes) {
    SortedMap<String, SortedSet<String>> all = new TreeMap<>();
    for (ClassModel each : classes) {
      String name = each.thisClass().asInternalName();
      if (!name.contains("Benchmark") && !name.contains("jmh_generated")) {
        String kind = name.substring(ROOT.length(), name.lastIndexOf('/')).replace('/', '.');
        add(all, kind, code(each));
        add(all, kind + ", descriptions", annotations(each));
      }
    }
    return lines(all);
  }

  private static List<String> lines(SortedMap<String, SortedSet<String>> all) {
    List<String> lines = new ArrayList<>();
    all.forEach(
        (kind, texts) -> {
          lines.add("[" + kind + "]");
          lines.addAll(texts);
        });
    return lines;
  }

  /** Returns the sentences of the scripts and of the report, by file. */
  private static List<String> scripts() throws IOException {
    SortedMap<String, SortedSet<String>> all = new TreeMap<>();
    try (Stream<Path> scripts = Files.list(SCRIPTS)) {
      for (Path each : Stream.concat(scripts, Stream.of(REPORT)).toList()) {
        List<String> texts =
            QUOTED
                .matcher(Files.readString(each))
                .results()
                .map(text -> text.group().replaceAll("\"\\s*\\+\\s*\"|^\"|\"$", ""))
                .toList();
        add(all, each.getFileName().toString(), texts);
      }
    }
    return lines(all);
  }

  /** Returns the sentences that have too many words; a text in single quotes counts as one. */
  private static List<String> tooLong(List<String> texts) {
    return texts.stream()
        .filter(text -> CONNECTION.matcher(text).find())
        .flatMap(text -> Stream.of(text.split("(?<=[.!?])\\s+|\\\\n")))
        .filter(
            sentence ->
                words(sentence) > MOST_WORDS
                    || Stream.of(sentence.split("(?<=[;:])\\s+"))
                        .anyMatch(part -> words(part) > MOST_WORDS_AT_A_TIME))
        .toList();
  }

  private static long words(String text) {
    return Stream.of(text.replaceAll("'[^']*'", "name").split("\\s+"))
        .filter(word -> word.matches(".*\\w.*"))
        .count();
  }

  private static void add(
      SortedMap<String, SortedSet<String>> all, String kind, Collection<String> texts) {
    texts.stream()
        .filter(text -> SENTENCE.matcher(text).matches())
        .map(text -> text.replace(VARIABLE, "{}").replace("\n", "\\n"))
        .forEach(text -> all.computeIfAbsent(kind, _ -> new TreeSet<>()).add(text));
  }

  /** Returns the classes of all modules without those of tests, from folders and jars. */
  private static List<ClassModel> production() throws Exception {
    List<ClassModel> all = new ArrayList<>();
    for (URL each : Collections.list(MessagesTest.class.getClassLoader().getResources(ROOT))) {
      String place = each.toString();
      if (place.contains("test-classes") || place.contains("-tests.jar")) {
        continue;
      }
      if (each.getProtocol().equals("jar")) {
        try (FileSystem jar = FileSystems.newFileSystem(each.toURI(), Map.of())) {
          addAll(jar.getPath(ROOT), all);
        }
      } else {
        addAll(Path.of(each.toURI()), all);
      }
    }
    return all;
  }

  private static void addAll(Path folder, List<ClassModel> all) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.filter(file -> file.toString().endsWith(".class")).toList()) {
        all.add(ClassFile.of().parse(each));
      }
    }
  }

  private static ClassModel model(Class<?> type) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            type.getResourceAsStream(type.getName().replaceFirst(".*\\.", "") + ".class"))) {
      return ClassFile.of().parse(in.readAllBytes());
    }
  }

  private static List<String> code(ClassModel model) {
    List<String> texts = new ArrayList<>();
    for (PoolEntry each : model.constantPool()) {
      if (each instanceof StringEntry text) {
        texts.add(text.stringValue());
      }
    }
    return texts;
  }

  private static List<String> annotations(ClassModel model) {
    List<String> texts = new ArrayList<>();
    Stream.of(Stream.of(model), model.fields().stream(), model.methods().stream())
        .flatMap(elements -> elements)
        .map(AttributedElement.class::cast)
        .flatMap(each -> each.findAttribute(Attributes.runtimeVisibleAnnotations()).stream())
        .flatMap(each -> each.annotations().stream())
        .forEach(each -> addTexts(each, texts));
    return texts;
  }

  private static void addTexts(Annotation annotation, List<String> texts) {
    annotation.elements().stream()
        .map(AnnotationElement::value)
        .forEach(each -> addTexts(each, texts));
  }

  private static void addTexts(AnnotationValue value, List<String> texts) {
    switch (value) {
      case AnnotationValue.OfString text -> texts.add(text.stringValue());
      case AnnotationValue.OfArray array -> array.values().forEach(each -> addTexts(each, texts));
      case AnnotationValue.OfAnnotation inner -> addTexts(inner.annotation(), texts);
      default -> {
        // Numbers, classes and constants are no texts.
      }
    }
  }

  @Test
  void shouldHaveNoSentenceThatNobodyHasRead() throws Exception {
    List<String> found = new ArrayList<>(sentences(production()));
    found.addAll(scripts());
    Files.createDirectories(FOUND.getParent());
    Files.write(FOUND, found);
    List<String> read = Files.exists(READ) ? Files.readAllLines(READ) : List.of();
    if (!found.equals(read)) {
      List<String> fresh = new ArrayList<>(found);
      fresh.removeAll(read);
      List<String> gone = new ArrayList<>(read);
      gone.removeAll(found);
      fail(RENEWAL + "\nnew:\n" + String.join("\n", fresh) + "\ngone:\n" + String.join("\n", gone));
    }
    assertThat(found).hasSizeGreaterThan(3000);
  }

  @Test
  void shouldSayNoLongSentence() throws Exception {
    List<String> found = new ArrayList<>(sentences(production()));
    found.addAll(scripts());

    assertThat(tooLong(found)).isEmpty();
    String half = "of words ".repeat(8) + "and";
    assertThat(tooLong(List.of(half + "; " + half, "of '" + half + half + "'", "a ".repeat(25))))
        .isEmpty();
    assertThat(tooLong(List.of(half + ", " + half, "a ".repeat(12) + (half + ": ").repeat(2))))
        .hasSize(2);
  }

  /** Names such as LdapServer, which no text of people has by chance. */
  @Test
  void shouldNameNoClassOfJava() throws Exception {
    List<ClassModel> classes = production();
    Set<String> names =
        classes.stream()
            .map(each -> each.thisClass().asInternalName().replaceFirst(".*[/$]", ""))
            .filter(each -> each.matches(".*[a-z][A-Z].*"))
            .collect(Collectors.toSet());
    assertThat(names).contains("LdapResult", "LoadReport");
    assertThat(sentences(classes))
        .noneMatch(each -> Stream.of(each.split("\\W+")).anyMatch(names::contains));
  }

  @Test
  void shouldFindSentencesWhereverTheyAre() throws Exception {
    assertThat(sentences(List.of(model(Speaker.class))))
        .containsExactly(
            "[architecture]",
            "a sentence of \\n two lines",
            "a {} of {} words",
            "the constant words ",
            "[architecture, descriptions]",
            "a field's description",
            "a method's description",
            "a type's description");
  }

  @interface Words {
    String[] value();
  }

  @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
  @interface Said {
    Words[] value();
  }

  @SuppressWarnings("unused")
  @Said(@Words({"a type's description", "word"}))
  private static final class Speaker {
    @Said(@Words("a field's description"))
    static final String CONSTANT = "the constant words ";

    @Said(@Words("a method's description"))
    static String text(String kind, int number) {
      return number < 0
          ? "a sentence of \n two lines"
          : number > 10 ? CONSTANT : "a " + kind + " of " + number + " words";
    }
  }
}
