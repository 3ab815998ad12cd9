package org.nyala.config;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Command;
import org.nyala.extension.ExtensionSource;
import org.nyala.extension.Extensions;

/**
 * An extension that can be configured: one of the program, or of a jar in the folder {@code
 * extensions} of the installation. Jars are read once for each process; each has a class loader of
 * its own, so that two may bring different versions of a library. One that does not fit is logged
 * in a line, and not offered.
 *
 * <p>Immutable; the source is thread-safe.
 *
 * @param name the name, which is the key of its object in the configuration
 * @param version the version that it tells
 * @param origin the file name of its jar; {@link #OWN} for those of the program
 */
public record OfferedExtension(String name, String version, String origin, ExtensionSource source) {
  /** The origin of the extensions of the program. */
  public static final String OWN = "nyala";

  private static final System.Logger LOG = System.getLogger(OfferedExtension.class.getName());
  private static final String FOLDER = "extensions";
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})");
  private static final Map<Path, List<OfferedExtension>> KNOWN = new ConcurrentHashMap<>();

  /**
   * Returns the extensions of an installation: those of the program, then those of jars, by the
   * names of files. Any thread.
   *
   * @param base the folder of the installation; a relative one has no jars: that would be the
   *     folder in which somebody happens to type a command
   */
  public static List<OfferedExtension> in(Path base) {
    return KNOWN.computeIfAbsent(base.normalize(), OfferedExtension::find);
  }

  private static List<OfferedExtension> find(Path base) {
    List<OfferedExtension> found = new ArrayList<>();
    ClassLoader own = OfferedExtension.class.getClassLoader();
    addAll(found, own, OWN);
    for (Path jar : base.isAbsolute() ? jars(base.resolve(FOLDER)) : List.<Path>of()) {
      String name = jar.getFileName().toString();
      ClassLoader loader = loader(jar, own);
      if (!addAll(found, loader, name)) {
        refuse(name, "it is no jar, or names no source of an extension in META-INF/services");
      }
    }
    return List.copyOf(found);
  }

  private static List<Path> jars(Path folder) {
    List<Path> jars = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
        files.forEach(jars::add);
      } catch (IOException e) {
        refuse(folder.toString(), ErrorMessages.line(e));
      }
    }
    jars.sort(null);
    return jars;
  }

  /** Opens a jar for as long as the process lives. */
  @SuppressWarnings("resource")
  private static ClassLoader loader(Path jar, ClassLoader parent) {
    try {
      return new URLClassLoader(new URL[] {jar.toUri().toURL()}, parent);
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(jar.toString(), e);
    }
  }

  /** Adds the extensions of a class loader, not those of its parent; false if it names none. */
  private static boolean addAll(List<OfferedExtension> found, ClassLoader loader, String origin) {
    boolean isAny = false;
    try {
      for (ServiceLoader.Provider<ExtensionSource> each :
          ServiceLoader.load(ExtensionSource.class, loader).stream().toList()) {
        if (each.type().getClassLoader() == loader) {
          isAny = true;
          add(found, each, origin);
        }
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      refuse(origin, ErrorMessages.line(e));
      return true;
    }
    return isAny;
  }

  private static void add(
      List<OfferedExtension> found, ServiceLoader.Provider<ExtensionSource> each, String origin) {
    OfferedExtension offered;
    try {
      ExtensionSource source = each.get();
      if (!fits(source.builtWith())) {
        refuse(
            origin,
            "it was built for version "
                + source.builtWith()
                + " of the extension interface, and this server has "
                + ExtensionSource.INTERFACE);
        return;
      }
      offered =
          new OfferedExtension(
              Objects.requireNonNull(source.name(), "name"),
              Objects.requireNonNull(source.version(), "version"),
              origin,
              source);
    } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      refuse(origin, ErrorMessages.explain(cause));
      return;
    }
    String fault = Extensions.nameFault(offered.name());
    if (fault == null && found.stream().anyMatch(one -> one.name().equals(offered.name()))) {
      fault = "another extension has the name " + offered.name();
    }
    if (fault == null) {
      found.add(offered);
    } else {
      refuse(origin, fault);
    }
  }

  /** Returns whether an extension fits: of the same first number, and no later second one. */
  private static boolean fits(String builtWith) {
    Matcher its = VERSION.matcher(builtWith);
    Matcher ours = VERSION.matcher(ExtensionSource.INTERFACE);
    return its.matches()
        && ours.matches()
        && its.group(1).equals(ours.group(1))
        && Integer.parseInt(its.group(2)) <= Integer.parseInt(ours.group(2));
  }

  private static void refuse(String origin, String why) {
    LOG.log(System.Logger.Level.WARNING, "the extension {0} is not loaded: {1}", origin, why);
  }

  /** Reads the configuration of all extensions, each from the object with its name. */
  static List<ConfiguredExtension> read(ConfigSection root) {
    List<ConfiguredExtension> configured = new ArrayList<>();
    for (OfferedExtension each : in(root.base())) {
      if (root.reads(each.name())) {
        throw root.problem(
            each.name(), "the extension of " + each.origin() + " has the name of a key of nyala");
      }
      each.readOwn(root.section(each.name()))
          .ifPresent(one -> configured.add(new ConfiguredExtension(each, one)));
    }
    return configured;
  }

  private Optional<ExtensionSource.Configured> readOwn(ConfigSection section) {
    try {
      return Objects.requireNonNull(source.read(section));
    } catch (ConfigurationException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      throw ConfigurationException.of(
          "nyala." + name, "the extension fails to read it: " + ErrorMessages.explain(e));
    }
  }

  /** Returns its commands; none, and a line in the log, if it fails or one has no proper name. */
  public List<Command> commands() {
    try {
      List<Command> commands = guarded(() -> List.copyOf(source.commands()));
      for (Command each : commands) {
        String fault = Extensions.nameFault(each.name());
        if (fault != null) {
          throw fault(fault);
        }
      }
      return commands;
    } catch (IllegalArgumentException e) {
      LOG.log(System.Logger.Level.WARNING, e.getMessage());
      return List.of();
    }
  }

  /**
   * Calls the extension.
   *
   * @throws IllegalArgumentException if it fails, with its name
   */
  public <T extends @Nullable Object> T guarded(Supplier<T> call) {
    try {
      return call.get();
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      throw fault(ErrorMessages.line(e));
    }
  }

  /** Makes the exception for a fault of the extension. */
  IllegalArgumentException fault(String why) {
    return new IllegalArgumentException(
        "the extension " + name + " (" + origin + ") fails: " + why);
  }
}
