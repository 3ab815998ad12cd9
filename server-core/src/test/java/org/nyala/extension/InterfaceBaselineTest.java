package org.nyala.extension;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.ChangeListener;

/**
 * Compares the interface of extensions with the one that jars were built with: the public parts of
 * this package, and the interfaces of other packages that extensions implement.
 */
class InterfaceBaselineTest {
  private static final Path BASELINE =
      Path.of("src/test/resources/org/nyala/extension/interface-1.0.txt");

  private static final List<Class<?>> ELSEWHERE =
      List.of(ChangeRule.class, ChangeListener.class, OperationBody.class);

  /** Interfaces that the server alone implements: these may grow. */
  private static final Set<Class<?>> OF_THE_SERVER =
      Set.of(
          AskedSearch.class,
          Directory.class,
          Section.class,
          OverlayTranslator.Line.class,
          OverlayTranslator.Result.class);

  private static List<Class<?>> classes() throws Exception {
    Path folder =
        Path.of(Extension.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve("org/nyala/extension");
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
          .<Class<?>>map(name -> type(name.replace(".class", "")))
          .toList();
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName("org.nyala.extension." + name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isSeen(Class<?> type) {
    return type == null
        || Modifier.isPublic(type.getModifiers()) && isSeen(type.getDeclaringClass());
  }

  /** Returns a line for each class, field, constructor and method that a jar may refer to. */
  private static NavigableSet<String> lines(Class<?> type) {
    NavigableSet<String> lines = new TreeSet<>();
    Stream<Executable> executables =
        Stream.concat(
            Arrays.stream(type.getDeclaredConstructors()),
            Arrays.stream(type.getDeclaredMethods()));
    lines.add(declaration(type));
    executables
        .filter(each -> isSeen(each.getModifiers()) && !each.isSynthetic())
        .map(InterfaceBaselineTest::line)
        .forEach(lines::add);
    Arrays.stream(type.getDeclaredFields())
        .filter(each -> isSeen(each.getModifiers()) && !each.isSynthetic())
        .map(Field::toGenericString)
        .forEach(lines::add);
    return lines;
  }

  private static String declaration(Class<?> type) {
    return type.toGenericString()
        + " extends "
        + type.getSuperclass()
        + " implements "
        + Arrays.toString(type.getGenericInterfaces());
  }

  private static boolean isSeen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static String line(Executable each) {
    return switch (each) {
      case Method method -> method.toGenericString();
      case Constructor<?> constructor -> constructor.toGenericString();
    };
  }

  /** An abstract method that is new breaks every class that does not have it. */
  private static boolean isDemand(Class<?> type, String line) {
    return line.contains(" abstract ")
        && line.contains("(")
        && type.isInterface()
        && !OF_THE_SERVER.contains(type);
  }

  @Test
  void shouldKeepToTheInterfaceThatJarsWereBuiltWith() throws Exception {
    assertThat(BASELINE).hasFileName("interface-" + ExtensionSource.INTERFACE + ".txt");
    Set<String> known = new TreeSet<>(Files.readAllLines(BASELINE));
    NavigableSet<String> now = new TreeSet<>();
    NavigableSet<String> demands = new TreeSet<>();
    for (Class<?> type : Stream.concat(classes().stream(), ELSEWHERE.stream()).toList()) {
      if (isSeen(type)) {
        now.addAll(lines(type));
        lines(type).stream()
            .filter(line -> isDemand(type, line) && !known.contains(line))
            .filter(_ -> known.contains(declaration(type)))
            .forEach(demands::add);
      }
    }
    Files.write(Path.of("target/interface.txt"), now);
    assertThat(now)
        .as(
            "what is missing or changed breaks jars of extensions: raise the first number of"
                + " ExtensionSource.INTERFACE, and begin a file of that name with"
                + " target/interface.txt; or keep it")
        .containsAll(known);
    assertThat(demands)
        .as(
            "an abstract method that is new breaks jars of extensions: give it a default, or raise"
                + " the first number of ExtensionSource.INTERFACE")
        .isEmpty();
    assertThat(known)
        .as(
            "what is new belongs into the file; once a version is released, raise the second number"
                + " of ExtensionSource.INTERFACE for it (target/interface.txt has all lines)")
        .containsAll(now);
  }
}
