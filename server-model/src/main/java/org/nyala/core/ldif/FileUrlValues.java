package org.nyala.core.ldif;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.PrintableText;

/**
 * Reads the values that an LDIF keeps in files (RFC 2849, {@code url}): regular files of this
 * machine, and no other URLs.
 *
 * <p>Immutable.
 */
final class FileUrlValues {
  /** The most characters of a URL or a path in a reason. */
  private static final int SHOWN = 300;

  private final Path directory;
  private final int maximumBytes;

  FileUrlValues(Path directory, int maximumBytes) {
    this.directory = directory;
    this.maximumBytes = maximumBytes;
  }

  /**
   * Appends the content of the file that {@code url} names; returns a description of the fault, or
   * null.
   */
  @Nullable String append(String url, ByteAppender target) {
    if (!url.toLowerCase(Locale.ROOT).startsWith("file:")) {
      return "only file URLs are read, not \"" + shown(url) + '"';
    }
    Path file;
    try {
      file = path(url);
    } catch (URISyntaxException | InvalidPathException e) {
      return "not a file URL: \"" + shown(url) + '"';
    }
    if (!Files.isRegularFile(file)) {
      return "no such file: " + shown(file);
    }
    int mark = target.length();
    try (InputStream input = Files.newInputStream(file)) {
      byte[] content = input.readNBytes(maximumBytes);
      if (input.read() >= 0) {
        return "the file has more than " + maximumBytes + " bytes: " + shown(file);
      }
      target.append(content);
      return null;
    } catch (IOException e) {
      target.truncate(mark);
      String reason = e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
      return "the file cannot be read: " + shown(file) + ": " + reason;
    }
  }

  private static String shown(Object name) {
    return PrintableText.of(name.toString(), SHOWN);
  }

  private Path path(String url) throws URISyntaxException {
    URI uri = new URI(url.replace(" ", "%20"));
    if (uri.isOpaque()) {
      return directory.resolve(decode(uri.getRawSchemeSpecificPart()));
    }
    String host = uri.getHost();
    boolean isLocal = host == null || host.isEmpty() || host.equalsIgnoreCase("localhost");
    if (!isLocal || uri.getPath() == null) {
      throw new URISyntaxException(url, "names another machine");
    }
    return directory.resolve(uri.getPath());
  }

  private static String decode(String part) throws URISyntaxException {
    return new URI("file:/" + part).getPath().substring(1);
  }
}
