package org.nyala.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The statements of a {@code package-info.java} about its package. Immutable.
 *
 * @param module the folder of the module, as in {@code server-core}
 * @param name the package, as in {@code org.nyala.core.dn}
 * @param purpose the first sentence, in Markdown; empty if there is none
 * @param face the public face, in Markdown; empty if there is none
 * @param isInternal whether it is for its own module alone
 */
record PackageInfo(String module, String name, String purpose, String face, boolean isInternal) {
  private static final String ROOT = "org.nyala.";
  private static final Path SOURCES = Path.of("src", "main", "java");

  /** The paragraphs of the comment. */
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");

  private static final Pattern SENTENCE = Pattern.compile("(.+?\\.)(?: .*)?");
  private static final Pattern FACE = Pattern.compile("<p>Public face: (.*?)\\.?(?= <p>|$)");
  private static final Pattern INTERNAL = Pattern.compile("<p>Internal to its module\\.");
  private static final Pattern LINK = Pattern.compile("\\{@link (?:[\\w.]*\\.)?(\\w+)}");
  private static final Pattern CODE = Pattern.compile("\\{@code ([^}]+)}");

  /** Returns those of a module, by name; without the packages of others that it adds to. */
  static List<PackageInfo> of(Path module) throws IOException {
    Path sources = module.resolve(SOURCES);
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.endsWith("package-info.java"))
          .map(file -> sources.relativize(file.getParent()).toString().replace('/', '.'))
          .filter(name -> Modules.isHome(module, name))
          .sorted()
          .map(name -> read(module, name))
          .toList();
    }
  }

  private static PackageInfo read(Path module, String name) {
    Path file = module.resolve(SOURCES).resolve(name.replace('.', '/'));
    String text = comment(Modules.text(file.resolve("package-info.java")));
    Matcher sentence = SENTENCE.matcher(text);
    Matcher face = FACE.matcher(text);
    return new PackageInfo(
        Modules.name(module),
        name,
        sentence.matches() ? markdown(sentence.group(1)) : "",
        face.find() ? face(face.group(1)) : "",
        INTERNAL.matcher(text).find());
  }

  /** Returns the first Javadoc of a source in one line, or nothing. */
  private static String comment(String source) {
    Matcher comment = COMMENT.matcher(source);
    return comment.find()
        ? comment.group(1).replaceAll("(?m)^ *\\*", " ").replaceAll("\\s+", " ").strip()
        : "";
  }

  /** Returns the types that are linked, or the text if none is. */
  private static String face(String text) {
    List<String> types =
        LINK.matcher(text).results().map(link -> "`" + link.group(1) + "`").toList();
    return types.isEmpty() ? text : String.join(", ", types);
  }

  private static String markdown(String text) {
    String linked = LINK.matcher(text).replaceAll(PackageInfo::quoted);
    return CODE.matcher(linked).replaceAll(PackageInfo::quoted);
  }

  private static String quoted(MatchResult found) {
    return Matcher.quoteReplacement("`" + found.group(1) + "`");
  }

  /** Returns the name without that of the project. */
  String shortName() {
    return name.startsWith(ROOT) ? name.substring(ROOT.length()) : name;
  }
}
