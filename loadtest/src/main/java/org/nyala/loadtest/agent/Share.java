package org.nyala.loadtest.agent;

import java.util.List;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadFlow;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.RateProfile;
import org.nyala.loadtest.workload.Targets;

/**
 * The share of one agent in a test. Immutable.
 *
 * @param index the place of the agent, from 0 up
 * @param count the number of agents
 */
record Share(int index, int count) {
  /** The distance between the seeds of agents, so that those of two tests hardly meet. */
  private static final long SEEDS_APART = 1_000_003;

  /**
   * Returns the job of this agent: its part of the connections and of the rate, other random people
   * than those of other agents, and a part of the people where no two clients may have the same.
   *
   * @throws IllegalArgumentException if the job cannot be split among so many
   */
  LoadSettings of(LoadSettings whole) {
    LoadSettings.require(
        whole.connections() >= count,
        "--connections",
        "at least the number of agents (" + count + ")",
        whole.connections());
    if (!whole.others().isEmpty()) {
      throw new IllegalArgumentException(
          "--agents goes with one server in --url, not with several");
    }
    boolean isApart =
        whole.job() == JobKind.RENAME
            || whole.job() == JobKind.PASSWORD_MODIFY
            || whole.job() == JobKind.MODIFY_EACH
            || whole.options().values().order() == Targets.Order.SEQUENTIAL;
    List<JobKind> mixed = whole.options().mix().jobs();
    boolean isMixedRename =
        mixed.contains(JobKind.RENAME) || mixed.contains(JobKind.PASSWORD_MODIFY);
    boolean isOfPatterns = whole.options().patterns() != null;
    if (isMixedRename || isApart && isOfPatterns) {
      throw new IllegalArgumentException(
          "--agents: this job cannot be split, because "
              + (isMixedRename
                  ? "people of a mix whom rename or password-modify changes must be those of one host"
                  : "people of patterns have no ranges of numbers of which each agent takes one"));
    }
    int users = whole.people().users();
    LoadSettings.require(
        !isApart || users >= count, "--users", "at least the number of agents", users);
    int first = isApart ? part(users, index) : 0;
    People people = whole.people();
    return new LoadSettings(
        whole.job(),
        whole.server(),
        part(whole.connections(), index + 1) - part(whole.connections(), index),
        whole.threads(),
        whole.extent(),
        isApart
            ? new People(people.base(), people.parent(), part(users, index + 1) - first)
            : people,
        whole.account(),
        0,
        whole.options().with(whole.options().values().from(first)),
        whole.security(),
        pace(whole.pace()));
  }

  /** The sum of the parts of the first agents, of something that is split evenly. */
  private int part(int all, int agents) {
    return (int) ((long) all * agents / count);
  }

  private LoadRate pace(LoadRate whole) {
    LoadFlow flow = whole.flow();
    List<RateProfile.Phase> phases =
        flow.profile().phases().stream()
            .map(
                phase ->
                    new RateProfile.Phase(
                        phase.from() / count, phase.to() / count, phase.seconds()))
            .toList();
    return new LoadRate(
        whole.rate() / count,
        whole.depth(),
        whole.timeOutSeconds(),
        whole.intervalSeconds(),
        new LoadFlow(
            flow.isPoisson(),
            flow.seed() + index * SEEDS_APART,
            new RateProfile(phases),
            flow.think()));
  }
}
