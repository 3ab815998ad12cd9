package org.nyala.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ExitCode;

/**
 * The folder in which commands leave requests for the server of a data directory, and find its
 * answers. Only the user that the server runs as can look into it.
 *
 * <pre>
 *   server            a name that this run of the server has given itself; all other files begin with it
 *   NAME.ID.request   what a command asks for: the action, and what it is about, a line each
 *   NAME.ID.answer    what the server says to that: a state, an exit code, and words, a line each
 * </pre>
 *
 * The server deletes requests once it has answered them, commands delete answers, and what nobody
 * has deleted goes when a server starts. Each file is written aside and renamed, so that a reader
 * sees all or nothing.
 *
 * <p>Immutable.
 */
public final class RequestFolder {
  /** What a command asks for; its words are as it wrote them. */
  public record Request(String id, String action, String subject) {}

  /**
   * What a server says to a request.
   *
   * @param hasEnded whether that is its last word
   * @param exitCode what the command comes to, if so
   * @param line one line
   */
  public record Answer(boolean hasEnded, int exitCode, String line) {
    public static Answer working(String line) {
      return new Answer(false, ExitCode.OK, line);
    }

    public static Answer ended(int exitCode, String line) {
      return new Answer(true, exitCode, line);
    }
  }

  private static final String REQUEST = ".request";
  private static final String ANSWER = ".answer";
  private static final String WORKING = "working";
  private static final String ENDED = "ended";

  /** Far more than an attribute and its kinds of index take. */
  private static final int MAXIMUM_BYTES = 4096;

  private final Path directory;

  RequestFolder(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes the folder where it is missing, and deletes what others have left in it.
   *
   * @return the name of this run of the server
   */
  public String open() throws IOException {
    Files.createDirectories(directory);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    String name = UUID.randomUUID().toString();
    RunDirectory.write(serverFile(), name);
    return name;
  }

  /** The name of the run of the server that looks here; nothing where none ever has. */
  public Optional<String> server() throws IOException {
    @Nullable String name = read(serverFile());
    return Optional.ofNullable(name);
  }

  /** Asks a server for something; returns the request's id. */
  public String ask(String server, String action, String subject) throws IOException {
    String id = server + '.' + UUID.randomUUID();
    RunDirectory.write(file(id, REQUEST), action + '\n' + subject + '\n');
    return id;
  }

  /** The requests to a server that it has not deleted, at most so many. */
  public List<Request> requests(String server, int maximum) throws IOException {
    List<Request> requests = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, server + ".*" + REQUEST)) {
      for (Path file : files) {
        if (requests.size() == maximum) {
          break;
        }
        String name = String.valueOf(file.getFileName());
        @Nullable String text = read(file);
        List<String> lines = text == null ? List.of() : text.lines().toList();
        requests.add(
            new Request(
                name.substring(0, name.length() - REQUEST.length()),
                lines.isEmpty() ? "" : lines.get(0),
                lines.size() < 2 ? "" : lines.get(1)));
      }
    }
    return requests;
  }

  /** Deletes a request; false when it was not there any more. */
  public boolean deleteRequest(String id) throws IOException {
    return Files.deleteIfExists(file(id, REQUEST));
  }

  /** Answers a request, once more or for the first time. */
  public void answer(String id, Answer answer) throws IOException {
    RunDirectory.write(
        file(id, ANSWER),
        String.format(
            Locale.ROOT,
            "%s\n%d\n%s\n",
            answer.hasEnded() ? ENDED : WORKING,
            answer.exitCode(),
            answer.line()));
  }

  /** What the server says to a request by now; nothing where it has not seen it. */
  public Optional<Answer> answerTo(String id) throws IOException {
    @Nullable String text = read(file(id, ANSWER));
    if (text == null) {
      return Optional.empty();
    }
    List<String> lines = text.lines().toList();
    if (lines.size() != 3) {
      throw new IOException("cannot be understood: " + file(id, ANSWER));
    }
    return Optional.of(
        new Answer(lines.get(0).equals(ENDED), Integer.parseInt(lines.get(1)), lines.get(2)));
  }

  /** Deletes an answer that has been read. */
  public void deleteAnswer(String id) throws IOException {
    Files.deleteIfExists(file(id, ANSWER));
  }

  private static @Nullable String read(Path file) throws IOException {
    try {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          && Files.size(file) <= MAXIMUM_BYTES) {
        return Files.readString(file, UTF_8);
      }
      return null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private Path file(String id, String suffix) {
    return directory.resolve(id + suffix);
  }

  private Path serverFile() {
    return directory.resolve("server");
  }
}
