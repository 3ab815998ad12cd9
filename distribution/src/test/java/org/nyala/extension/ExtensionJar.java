package org.nyala.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Makes jars of extensions from source texts. */
public final class ExtensionJar {
  private static final String SERVICE = "META-INF/services/" + ExtensionSource.class.getName();

  private ExtensionJar() {}

  /**
   * Makes a jar in the folder {@code extensions} of an installation.
   *
   * @param source the class {@code foreign.NAME}, without package and imports
   */
  public static void make(Path home, String name, String source) throws IOException {
    Path classes = Files.createTempDirectory(home, "classes");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter problems = new StringWriter();
    String text =
        "package foreign; import java.util.*; import org.nyala.core.backend.*;"
            + " import org.nyala.core.message.*; import org.nyala.core.session.*;"
            + " import org.nyala.extension.*; import org.nyala.core.directory.virtual.*;"
            + " public final class "
            + name
            + " implements ExtensionSource { public String version() { return \"1\"; } "
            + source
            + "}";
    boolean isCompiled =
        compiler
            .getTask(
                problems,
                null,
                null,
                List.of("-proc:none", "-d", classes.toString()),
                null,
                List.of(new Text(name, text)))
            .call();
    assertThat(isCompiled).as("%s", problems).isTrue();
    pack(home, name, classes, "foreign." + name);
  }

  /** Makes a jar that names a class, which may not be there. */
  static void pack(Path home, String name, Path classes, String named) throws IOException {
    Path folder = Files.createDirectories(home.resolve("extensions"));
    try (OutputStream file = Files.newOutputStream(folder.resolve(name + ".jar"));
        JarOutputStream jar = new JarOutputStream(file);
        Stream<Path> walk = Files.walk(classes)) {
      for (Path each : walk.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new ZipEntry(classes.relativize(each).toString()));
        Files.copy(each, jar);
      }
      if (!named.isEmpty()) {
        jar.putNextEntry(new ZipEntry(SERVICE));
        jar.write(named.getBytes(UTF_8));
      }
    }
  }

  /** A source text. */
  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String name, String text) {
      super(URI.create("string:///foreign/" + name + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoresErrors) {
      return text;
    }
  }
}
